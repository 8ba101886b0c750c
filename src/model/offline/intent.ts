export type Intent = 'search' | 'change' | 'greeting' | 'thanks' | 'about' | 'empty'

/** The intent of a message, before its question is parsed. */
export function intentOf(text: string): Intent {
  const bare = text.trim()
  if (!/\p{L}{2}|\p{Lo}|\d{3}/u.test(bare)) return 'empty'
  if (bare.length < 60) {
    if (
      /^(hi|hello|hey|yo|good (morning|evening|afternoon)|hallo|guten tag|moin|bonjour|salut|hola|ciao|привет|你好|こんにちは)[\s\p{P}\p{S}]*(there|you|all|team|offshoot)?[\s\p{P}\p{S}]*$/iu.test(
        bare,
      )
    )
      return 'greeting'
    if (
      /^(thanks?|thank you|thx|ty|danke|merci|gracias|cheers|great|nice|perfect|ok(ay)?|cool|bye)\b[^?]*$/i.test(
        bare,
      ) &&
      bare.split(/\s+/).length <= 6
    )
      return 'thanks'
  }
  if (
    /^\s*(who|what) are you\b|\bare you (an? )?(ai|llm|language model|human|bot|claude|gpt|chatgpt)|\bwhat (can|do) you do\b/i.test(
      bare,
    )
  )
    return 'about'
  return CHANGE.test(bare) ? 'change' : 'search'
}

const CHANGE =
  /^\s*(please |can you |could you |would you |now |then )*(fix|write|add|implement|refactor|rename|remove|delete|create|build|generate|update|change|replace|migrate|convert|port|optimi[sz]e|improve|make|edit|rewrite|commit|install|run|execute|deploy|upgrade)\b/i
