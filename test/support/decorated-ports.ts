import type { RuntimeOptions } from '../../src/runtime/host/runtime.ts'
import type { AnyTool, ToolContext } from '../../src/tools/port.ts'
import { createRegistry } from '../../src/tools/registry.ts'
import type { Faults } from './faults.ts'

/** The longest that a timer takes, milliseconds; and more calls than a run makes. */
const NEVER = 2 ** 31 - 1

/** The ports of a runtime with the points before and after effects, and without what is off. */
export function decoratedPorts(ports: RuntimeOptions, faults: Faults): RuntimeOptions {
  const { ownership, config, tools, ...rest } = ports
  const limits = { ...config.limits, stallMs: NEVER, maxIdenticalCalls: NEVER }
  return {
    ...rest,
    tools: createRegistry(tools.list().map((tool) => decoratedTool(tool, faults))),
    config: faults.off.has('watchdog') ? { ...config, limits } : config,
    ...(ownership && !faults.off.has('leases') ? { ownership } : {}),
  }
}

function decoratedTool(tool: AnyTool, { off, at }: Faults): AnyTool {
  return {
    ...tool,
    async execute(input, context) {
      at('effect.before')
      try {
        return await tool.execute(input, decoratedContext(context, off))
      } finally {
        at('effect.after')
      }
    },
  }
}

function decoratedContext({ receipt, ...context }: ToolContext, off: Faults['off']): ToolContext {
  return {
    ...context,
    ...(off.has('process-mark') ? { processMarks: {} } : {}),
    ...(receipt && !off.has('receipts') ? { receipt } : {}),
  }
}
