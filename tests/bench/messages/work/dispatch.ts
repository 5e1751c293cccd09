import {parsePattern} from "../../../../server/messages/arguments/pattern.ts"
import {type Command, parseCall} from "../../../../server/messages/command/command.ts"
import {type PermissionOf, permissionBy, readRules} from "../../../../server/messages/command/permissions.ts"
import {createDispatch} from "../../../../server/messages/dispatch.ts"
import type {Handler} from "../../../../server/messages/session/handler.ts"
import type {MiddlewareHandler} from "../../../../server/messages/session/run-handler.ts"
import {createMessageTable} from "../../../../server/messages/table.ts"
import {systemClock} from "../../../../server/runtime/flow/clock.ts"
import {channelType, type SatoriEvent} from "../../../../shared/sdk/content/satori.ts"
import {log} from "../../../support/host/silence.ts"
import {firstAttempt} from "../../../support/messages/attempt.ts"
import {ableEndpoints} from "../../../support/messages/endpoint-acts.ts"
import {printSamples, rateOf} from "../../measure/rate.ts"

/**
 * Times the command dispatch of `server/messages` in a separate process, and prints one JSON value: for each number of
 * commands, dispatches per CPU-second, one sample per round. Argument: rounds.
 */
const rounds = Number(process.argv[2] ?? 7)
const sizes = [10, 100, 1000]

/** The duration of a sample, in milliseconds of processor time. */
const sampleTime = 150

const commandOf = (index: number, definition: Command["definition"]): Command => ({
  id: `root/bench/command/command${index}`,
  owner: "root/bench",
  ...parsePattern(`command${index} <name:string> [count:integer]`),
  aliases: [],
  definition,
  handle: ({args}) => `hello ${args.name}`,
})

const eventOf = (command: number, index: number): SatoriEvent => ({
  sn: index + 1,
  type: "message-created",
  timestamp: 0,
  login: {platform: "bench", user: {id: "bot", name: "bot"}},
  channel: {id: "#bench", type: channelType.text},
  user: {id: "ann", name: "ann"},
  message: {id: String(index), content: `!command${command} world ${index}`},
})

/** The same number of messages for few commands as for many, in a fixed order that defeats caches. */
const eventCount = 1000
const eventsFor = (size: number): SatoriEvent[] =>
  Array.from({length: eventCount}, (_, index) => eventOf((index * 7919) % size, index))

/** Finds the command and reads its arguments: the work that could depend on the number of commands. */
const routeAll = (size: number) => {
  const {router} = tableOf(size)
  const events = eventsFor(size)
  return () => {
    for (const event of events) {
      const routed = router.route(event.message?.content ?? "", event)
      if (routed.is !== "command" || parseCall(routed.command, routed.rest).is !== "call") throw new Error("not found")
    }
  }
}

/** The same with a session, the handler and its reply; nothing is stored. */
const dispatchAll = (size: number) => {
  const table = tableOf(size)
  const dispatch = createDispatch({current: () => table, endpoints: ableEndpoints, idle: async () => {}, log})
  const events = eventsFor(size)
  return async () => {
    for (const event of events) {
      const [handler = ""] = dispatch.match(event)
      const outcome = await dispatch.run({endpoint: "bench", event}, handler, firstAttempt)
      if (outcome.is !== "handled" || outcome.sends.length !== 1) throw new Error("not handled")
    }
  }
}

/**
 * The same with a permission, a cooldown and a middleware per message: nine rules for others precede the matching one,
 * and at each call the user's last cooldown has expired.
 */
const dispatchGuarded = (size: number) => {
  let now = 0
  const table = tableOf(size, guarded)
  const dispatch = createDispatch({
    current: () => table,
    endpoints: ableEndpoints,
    idle: async () => {},
    log,
    clock: {
      ...systemClock,
      now: () => {
        now += 1000
        return now
      },
    },
  })
  const events = eventsFor(size)
  return async () => {
    for (const event of events) {
      const {around, within} = dispatch.nest(dispatch.match(event))
      const stored = {endpoint: "bench", event}
      for (const id of [...around, ...within]) {
        const outcome = await dispatch.run(stored, id, firstAttempt)
        if (outcome.is !== "handled" || outcome.stops === true) throw new Error("not handled")
        if (id === within[0] && outcome.sends.length !== 1) throw new Error("not answered")
      }
    }
  }
}

/** The yardstick: extracts the first word of the message and looks it up in a Map. */
const lookUpAll = (size: number) => {
  const known = new Map(Array.from({length: size}, (_, index) => [`command${index}`, index]))
  const texts = eventsFor(size).map(event => event.message?.content ?? "")
  return () => {
    for (const text of texts) if (!known.has(text.slice(1, text.indexOf(" ")))) throw new Error("not found")
  }
}

interface Guards {
  readonly definition: Command["definition"]
  readonly permissionOf: PermissionOf
  readonly middleware: readonly MiddlewareHandler[]
}

const plain: Guards = {definition: {description: "answers"}, permissionOf: () => "user", middleware: []}

const rules = [
  ...Array.from({length: 9}, (_, index) => ({endpoint: "bench", user: `other${index}`, permission: "admin" as const})),
  {endpoint: "bench", user: "ann", permission: "trusted" as const},
]

const {signal} = new AbortController()
const handlerOf = (id: string): Handler => ({id, log, run: async work => work(), signal})

const guarded: Guards = {
  definition: {permission: "trusted", cooldown: {per: "user", seconds: 0.5}},
  permissionOf: permissionBy(rules, readRules(rules, new Map([["bench", {ignoresCase: false}]]))),
  middleware: [{...handlerOf("root/bench/middleware/0"), around: (_, next) => next()}],
}

const tableOf = (size: number, {definition, permissionOf, middleware} = plain) => {
  const commands = Array.from({length: size}, (_, index) => {
    const command = commandOf(index, definition)
    return {command, runner: handlerOf(command.id)}
  })
  return createMessageTable({prefixes: ["!"], commands, permissionOf, middleware, log})
}

const kinds = {router: routeAll, dispatch: dispatchAll, guarded: dispatchGuarded, map: lookUpAll}

/** The sizes of a kind run one after another, because they are compared. */
const cases = Object.entries(kinds).flatMap(([kind, make]) =>
  sizes.map(size => {
    const work = make(size)
    return [`${kind} ${size}`, () => rateOf(work, {amount: eventCount, time: sampleTime})] as const
  }),
)
await printSamples(Object.fromEntries(cases), rounds)
