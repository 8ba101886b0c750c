import { agent, type OwnAgent } from '../../../src/index.ts'

/** Agents with short prompts: those that come with the program are described elsewhere. */
export function own(name: string, more: Partial<OwnAgent> = {}): OwnAgent {
  return agent({ name, description: `the agent ${name}`, prompt: `You are ${name}.`, ...more })
}

export const MAIN = own('main', { title: 'Main', icon: '◆' })
