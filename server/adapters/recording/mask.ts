import {Problem} from "../../../shared/sdk/sdk.ts"
import type {Recording} from "./recording.ts"
import {walkRecording} from "./recording.ts"
import {StandIns} from "./stand-ins.ts"
import type {Words} from "./walk.ts"

/** The parts of a secret that are secret by themselves: a bot's token is its id and a key. */
const partsOf = (secret: string): readonly string[] => [
  secret,
  ...secret.split(/[:.-]/).filter(part => part.length >= 8),
]

/** The error for a recording that has something in it which must not be there. It does not repeat it. */
const unmasked = (what: string): Problem =>
  new Problem("internal", `the recording would contain ${what}`, {
    hint: "svc wrote nothing. Report it as a fault of svc, and record again with other words.",
  })

/** Throws `internal` if the text of a recording has a secret in it, or an original that `standIns` has replaced. */
export const requireMasked = (text: string, words: Words, secrets: readonly string[], standIns: StandIns): void => {
  if (secrets.flatMap(partsOf).some(part => text.includes(part))) throw unmasked("a secret of the account")
  const left = new Set<string>()
  walkRecording(JSON.parse(text) as Recording, words, value => {
    for (const original of standIns.found(String(value))) left.add(original)
    return value
  })
  if (left.size > 0) throw unmasked(`${left.size} values as they were sent`)
}

/** Returns the text of a masked recording, after a search for what it must not contain. Throws `internal`. */
export const maskedText = (recording: Recording, words: Words, secrets: readonly string[]): string => {
  const standIns = new StandIns(words.idStart)
  walkRecording(recording, words, value => {
    standIns.learn(value)
    return value
  })
  const masked = walkRecording(recording, words, value => standIns.replace(value))
  const text = `${JSON.stringify(masked, undefined, 1)}\n`
  requireMasked(text, words, secrets, standIns)
  return text
}
