import type { SettingsTab } from '../state/route.ts'

export const tabNames: Readonly<Record<SettingsTab, string>> = {
  agents: 'Agents',
  models: 'Models & keys',
  permissions: 'Permissions',
  limits: 'Limits & budgets',
  sessions: 'Sessions',
  appearance: 'Appearance',
  shortcuts: 'Shortcuts',
}
