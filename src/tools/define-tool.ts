import { readFileSync } from 'node:fs'
import { terminalLine } from '../core/terminal-text.ts'
import type { AnyTool, Tool } from './port.ts'

/** Erases the types of a tool; from here on only input parsed by its own schema may reach it. */
export function defineTool<I, O>(tool: Tool<I, O>): AnyTool {
  return tool as unknown as AnyTool
}

/** The description for models, from a .txt beside the code. */
export function describeTool(file: string): string {
  return readFileSync(new URL(`./${file}`, import.meta.url), 'utf8').trim()
}

const MAX_TITLE = 160

/** Reduces text to one line for every UI, whatever the input contains. */
export function titleLine(text: string): string {
  const line = terminalLine(text.slice(0, MAX_TITLE * 4))
  return line.length > MAX_TITLE ? `${line.slice(0, MAX_TITLE - 1).toWellFormed()}…` : line
}
