import {pino} from "pino"
import {Logger} from "tslog"
import {createLogs} from "../../../../server/logs/log.ts"
import {printSamples, rateOf} from "../../measure/rate.ts"

/**
 * Times the log in a separate process, and prints one JSON value: records per CPU-second, one sample per round, for our
 * log with 1 and with 50 secrets, for tslog alone, which hides nothing, and for pino with redaction by path. Lines are discarded. Argument: rounds.
 */
const rounds = Number(process.argv[2] ?? 7)

/** The duration of a sample, in milliseconds of processor time. */
const sampleTime = 150
const batch = 500

let written = 0
const write = (line: string) => {
  written += line.length
}

const secretOf = (index: number) => Buffer.from(`secret ${index} of the bench `.repeat(2)).toString("base64url")

const bound = {project: "my-bot", runtimeId: "01a1fdd2-10a2-71b9-9659-537ff493a04b", generation: 3}
const caller = {plugin: "greeter", endpoint: "irc~libera"}

const fieldsOf = (index: number) => ({
  event: index,
  channel: "#a-busy-channel",
  headers: {accept: "application/json", authorization: "Bearer of the bench"},
})

const ours = (secrets: number) => {
  const {log, bind, hide} = createLogs({level: "info", format: "json", colors: false, write})
  bind(bound)
  hide(Array.from({length: secrets}, (_, index) => secretOf(index)))
  const own = log.with(caller)
  return (index: number) => own.info(`greeted user ${index} in a busy channel`, fieldsOf(index))
}

const theirs = () => {
  const redact = {paths: ["authorization", "password", "token", "*.authorization", "*.password", "*.token"]}
  const log = pino({base: bound, redact, timestamp: pino.stdTimeFunctions.isoTime}, {write}).child(caller)
  return (index: number) => log.info(fieldsOf(index), `greeted user ${index} in a busy channel`)
}

/** tslog as the front of our log uses it, with a transport that only writes its line. */
const front = () => {
  const logger = new Logger<Record<string, unknown>>({
    type: "hidden",
    stack: {capture: "off"},
    bindings: {...bound, ...caller},
  })
  logger.attachTransport({format: "json", write: (_, line) => write(line)})
  return (index: number) => logger.info(fieldsOf(index), `greeted user ${index} in a busy channel`)
}

const cases = {"ours 1": ours(1), "ours 50": ours(50), tslog: front(), pino: theirs()}

const measured = Object.entries(cases).map(([name, say]) => {
  let done = 0
  const work = () => {
    for (let index = 0; index < batch; index++) say(done + index)
    done += batch
  }
  return [name, () => rateOf(work, {amount: batch, time: sampleTime})] as const
})
await printSamples(Object.fromEntries(measured), rounds)
if (written === 0) throw new Error("nothing was written")
