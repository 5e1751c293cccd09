import {messageOf} from "../../../shared/problems.ts"
import type {HostText} from "../texts/en.ts"
import type {Say} from "../texts/host-texts.ts"

/** The English errors of `parseArgs` (Node 22 and 24, Bun 1.4), and svc's own text for each. */
const mistakes: readonly (readonly [RegExp, HostText])[] = [
  [/^Unknown option ('.*?')/, "option.unknown"],
  [/^Option ('.*?') argument missing/, "option.missing"],
  [/^Option ('.*?') does not take an argument/, "option.flag"],
  [/^Option ('.*?') argument is ambiguous/, "option.dash"],
]

/** Returns what is wrong with the options of a call, from the error that `parseArgs` threw. */
export const misusedOption = (error: unknown, say: Say): string => {
  const message = messageOf(error)
  for (const [pattern, text] of mistakes) {
    const option = pattern.exec(message)?.[1]
    const example = /use ('.*?')/.exec(message)?.[1] ?? ""
    if (option !== undefined) return say(text, {option, example})
  }
  return message.split(". To specify")[0] ?? ""
}
