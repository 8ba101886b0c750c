/** Whether the commands of agents are confined, from the laxest. */
export const sandboxSettings = ['off', 'auto', 'required'] as const

export type SandboxSetting = (typeof sandboxSettings)[number]

/** Whether one confines no less than another. What is not known does not. */
export function isNoLaxer(setting: unknown, than: SandboxSetting): boolean {
  return sandboxSettings.indexOf(setting as SandboxSetting) >= sandboxSettings.indexOf(than)
}
