// Instructions of the runtime to a model during a run; their author is the runtime.
export const TO_FOLLOW =
  'Your last answer ended as if more was to follow, but there is no call in it. Go on: call the tool, or write your conclusion.'

export const NO_TEXT = 'You ended without any text. Write your conclusion now.'

export function noTurnsLeft(maxTurns: number): string {
  const all = maxTurns === 1 ? 'your only turn' : `all ${maxTurns} turns`
  return `You have used ${all}. Conclude now, without tools, with what you have.`
}

export function fewTurnsLeft(left: number, maxTurns: number): string {
  return `You have ${left} of your ${maxTurns} turns left. Conclude with what you have, and say what is missing.`
}

const NO_TURNS_LEFT = /^You have used (your only turn|all \d+ turns)\. Conclude now/

export function asksForConclusion(text: string): boolean {
  return text === NO_TEXT || NO_TURNS_LEFT.test(text)
}
