import { noUsage, type Usage } from '../../core/usage.ts'

/** Usage as Anthropic's API reports it: there `input_tokens` leaves out what was read from and written to the cache. */
export function usageShape(usage: Usage | null | undefined): object {
  const { output, cacheRead, cacheWrite, reasoning } = usage ?? noUsage
  return {
    input_tokens: uncachedInput(usage ?? noUsage),
    output_tokens: output,
    output_tokens_details: { thinking_tokens: reasoning },
    cache_creation_input_tokens: cacheWrite,
    cache_read_input_tokens: cacheRead,
    cache_creation: { ephemeral_5m_input_tokens: cacheWrite, ephemeral_1h_input_tokens: 0 },
    server_tool_use: { web_search_requests: 0, web_fetch_requests: 0 },
    service_tier: 'standard',
    speed: 'standard',
    inference_geo: '',
    iterations: [],
    fallback_credit: null,
  }
}

/** A server may count the cache beside its input; then nothing is left. */
export function uncachedInput({ input, cacheRead, cacheWrite }: Usage): number {
  return Math.max(0, input - cacheRead - cacheWrite)
}
