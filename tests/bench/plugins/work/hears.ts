import {collectRegistrations} from "../../../../server/generation/instances/registrations.ts"
import {compileHears} from "../../../../server/generation/kinds/hears/compile.ts"
import {FilterIndex} from "../../../../server/messages/filters.ts"
import {type HearsHandler, heardBy} from "../../../../server/messages/hears.ts"
import {channelType, type SatoriEvent} from "../../../../shared/sdk/content/satori.ts"
import {log} from "../../../support/host/silence.ts"
import {cpuMilliseconds, printSamples, rateOf} from "../../measure/rate.ts"

/** Times patterns of `plugin.hears` apart, and prints JSON: by case, one sample per round. Argument: rounds. */
const rounds = Number(process.argv[2] ?? 7)
const counts = [1, 10, 100]

/** The duration of a sample of messages, in milliseconds of processor time. */
const sampleTime = 100

const messages = 500

/**
 * Patterns on which backtracking engines never finish, with the letters of their texts, and the repetitions per sample.
 * The second pattern is almost as large as a pattern may be, and has more states than the engine keeps.
 */
const evil = {
  nested: {pattern: "(a+)+$", letters: "a", times: 100},
  largest: {pattern: "[ab]*a[ab]{180}[cd]", letters: "ab", times: 1},
}
const lengths = [8192, 16_384]

let seed = 1
/** A linear congruential generator (Numerical Recipes), for the same texts in each run. */
const random = (below: number): number => {
  seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0
  return Math.floor((seed / 2 ** 32) * below)
}

const patternOf = (index: number): RegExp => new RegExp(`\\b(?:please|kindly) (?<verb>\\w+) number${index}\\b`, "i")

const textOf = (index: number): string =>
  `Ann says that it would be kind to bring ${index} cups of tea, please bring them`

const handlersOf = async (patterns: readonly (string | RegExp)[]) => {
  const {declaring, close} = collectRegistrations("root/bench")
  for (const pattern of patterns) declaring.hears(pattern, () => {})
  const compiled = await compileHears(close().hears)
  const signal = new AbortController().signal
  const run = async <T>(work: () => T | Promise<T>) => work()
  return new FilterIndex<HearsHandler>(
    compiled.map(({compiled: pattern, ...each}) => ({...each, log, signal, run, pattern})),
  )
}

const eventOf = (content: string): SatoriEvent => ({
  sn: 1,
  type: "message-created",
  timestamp: 0,
  login: {platform: "bench", user: {id: "bot", name: "bot"}},
  channel: {id: "#bench", type: channelType.text},
  user: {id: "ann", name: "ann"},
  message: {id: "1", content},
})

/** Milliseconds of processor time. */
const timeOf = (work: () => void): number => {
  const begun = cpuMilliseconds()
  work()
  return cpuMilliseconds() - begun
}

const events = Array.from({length: messages}, (_, index) => eventOf(textOf(index)))
const texts = events.map(({message}) => message?.content ?? "")
const sampled = {amount: messages, time: sampleTime}
const cases: [key: string, measure: () => number | Promise<number>][] = []
for (const count of counts) {
  const patterns = Array.from({length: count}, (_, index) => patternOf(index))
  const handlers = await handlersOf(patterns)
  const heard = () => {
    for (const event of events) if (heardBy(handlers, event, "sandbox").length !== 0) throw new Error("heard")
  }
  const native = () => {
    for (const text of texts) if (patterns.some(pattern => pattern.test(text))) throw new Error("heard")
  }
  cases.push([`heard ${count}`, () => rateOf(heard, sampled)], [`native ${count}`, () => rateOf(native, sampled)])
}
for (const [name, {pattern, letters, times}] of Object.entries(evil)) {
  const handlers = await handlersOf([pattern])
  for (const length of lengths) {
    const measure = () => {
      const letter = () => letters[random(letters.length)] ?? ""
      const event = eventOf(`${Array.from({length: length - 1}, letter).join("")}!`)
      const all = timeOf(() => {
        for (let done = 0; done < times; done++)
          if (heardBy(handlers, event, "sandbox").length !== 0) throw new Error("heard")
      })
      return all / times
    }
    cases.push([`${name} ${length}`, measure])
  }
}

await printSamples(Object.fromEntries(cases), rounds)
