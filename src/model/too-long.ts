/**
 * How providers and servers report a request with more tokens than the model accepts. There is no common code: OpenAI
 * and many others have one (`context_length_exceeded`), Anthropic, Gemini and most local servers only a message.
 */
const TOO_LONG: readonly RegExp[] = [
  // OpenAI, Azure, Groq, and compatible codes
  /context_length_exceeded|context_window_exceeded|request_too_large|string_above_max_length/i,
  /exceeds? the (model'?s? )?(maximum )?context (window|length|size)/i,
  /maximum (context|prompt) length is/i, // OpenAI, vLLM, xAI, OpenRouter, DeepSeek
  /reduce the length of (the|your) (messages|prompt|input)/i,
  // Anthropic: "prompt is too long: 210000 tokens > 200000 maximum"; "input length and `max_tokens` exceed context limit"
  /prompt is too long|input is too long|exceed(s|ed)? (the )?context (limit|window|length|size)/i,
  // Gemini: "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576)."
  /(input )?token count.{0,40}exceeds the maximum|exceeds the maximum number of tokens/i,
  // llama.cpp: exceed_context_size_error; Ollama: "the input length exceeds the context length"
  /exceed_context_size|available context size|input length exceeds the context/i,
  /too large for model with \d+ maximum context length/i, // Mistral
  /exceeded model token limit|model token limit|too many (input )?tokens/i, // Moonshot and others
  /greater than the context length/i, // LM Studio
]

/**
 * Whether a request was rejected as too long. 413 may come without a reason; 429 counts tokens per minute, so that
 * waiting helps.
 */
export function isContextTooLong(status: number | undefined, text: string): boolean {
  if (status === 413) return true
  if (status !== undefined && status !== 400 && status !== 422) return false
  return TOO_LONG.some((words) => words.test(text))
}
