import {describe, expect, test} from "vitest"
import {collectRegistrations} from "../../../server/generation/instances/registrations.ts"
import {compileHears} from "../../../server/generation/kinds/hears/compile.ts"
import type {HearsHandler} from "../../../server/messages/hears.ts"
import {channelType, type SatoriEvent} from "../../../shared/sdk/content/satori.ts"
import type {HearsCall, HearsDefinition} from "../../../shared/sdk/plugin/hears.ts"
import type {Permission} from "../../../shared/sdk/session/permission.ts"
import type {Reply} from "../../../shared/sdk/session/session.ts"
import {firstAttempt} from "../../support/messages/attempt.ts"
import {command} from "../../support/messages/commands.ts"
import {dispatchTo, hearerOf, messageOf, runnerOf, tableOf} from "../../support/messages/dispatching.ts"

const list = {command: command("list"), runner: runnerOf("root/test/command/list")}

const question = {
  ...runnerOf("root/test/prompt/name"),
  prompt: {id: "root/test/prompt/name", definition: {}, handle: () => undefined},
}

const event = (content: string, more: Partial<SatoriEvent> = {}) =>
  messageOf(content, {
    login: {platform: "sandbox", user: {id: "svc", name: "svc"}},
    channel: {id: "c", type: channelType.text},
    ...more,
  })

type Heard = readonly [
  pattern: string | RegExp,
  definition: HearsDefinition,
  handle: (call: HearsCall<string>) => Reply,
]

const handlersOf = async (heard: readonly Heard[]): Promise<HearsHandler[]> => {
  const {declaring, close} = collectRegistrations("root/test")
  for (const [pattern, definition, handle] of heard) declaring.hears(pattern, definition, handle)
  const compiled = await compileHears(close().hears)
  return compiled.map(({id, definition, compiled, handle}) => ({
    ...runnerOf(id),
    definition,
    pattern: compiled,
    handle,
  }))
}

const dispatchOf = (hears: readonly HearsHandler[], permission: Permission = "user") => {
  let now = 0
  const handlers = [hearerOf(() => "on")]
  const table = tableOf({commands: [list], handlers, prompts: [question], hears, permissionOf: () => permission})
  const dispatch = dispatchTo(table, {clock: {now: () => now, elapsed: () => now} as never})
  return {
    pass: (milliseconds: number) => {
      now += milliseconds
    },
    /** The matching handlers, without the plain handler of every message. */
    heard: (of: SatoriEvent, asked?: string) => dispatch.match(of, asked).filter(id => id.includes("/hears/")),
    run: (of: SatoriEvent, id: string) => dispatch.run({endpoint: "sandbox", event: of}, id, firstAttempt),
    answers: async (text: string, more?: Partial<SatoriEvent>) => {
      const of = event(text, more)
      const ids = dispatch.match(of).filter(id => id.includes("/hears/"))
      const outcomes = await Promise.all(
        ids.map(id => dispatch.run({endpoint: "sandbox", event: of}, id, firstAttempt)),
      )
      return outcomes.flatMap((outcome): unknown =>
        outcome.is === "handled" ? outcome.sends.map(({content}) => content) : outcome,
      )
    },
  }
}

const say = (text: string) => (): Reply => text

describe("a message", async () => {
  const handlers = await handlersOf([
    [/good (morning|night)/i, {name: "greeting"}, ({match}) => `Good ${match.groups[0]}!`],
    ["(?<who>ann|bob)", {}, ({match}) => `${match.named.who} by name`],
    [/^night$/, {}, say("in vain")],
    [/list/, {}, say("of lists")],
  ])
  const {heard, answers} = dispatchOf(handlers)
  const [greeting, name, , lists] = handlers.map(({id}) => id)

  test("is heard by each handler whose pattern matches, and by no other", async () => {
    expect(heard(event("Good night, Ann and bob"))).toEqual([greeting, name])
    expect(heard(event("Good evening"))).toEqual([])
    expect(await answers("Good NIGHT, bob")).toEqual([["Good NIGHT!"], ["bob by name"]])
  })

  test("is heard without its markup, its files and the space around it", () => {
    expect(heard(event("good <b>morning</b>"))).toEqual([greeting])
    expect(heard(event('<img src="https://x.example/ann.png"/>'))).toEqual([])
    expect(heard(event("\u2003\u200e night \u3000"))).toEqual(["root/test/hears/1"])
    expect(heard(event("good\u00a0morning"))).toEqual([greeting])
  })

  test("that calls a command, or mistypes one, is not heard", () => {
    expect(heard(event("what a list"))).toEqual([lists])
    expect(heard(event("/list"))).toEqual([])
    expect(heard(event("/lisst of lists"))).toEqual([])
    expect(heard(event("svc: list"))).toEqual([])
    expect(heard(event("list", {channel: {id: "c", type: channelType.direct}}))).toEqual([])
  })

  test("with a prefix that no command answers is heard", () => expect(heard(event("/shrug ann"))).toEqual([name]))

  test("that answers a question is not heard", () => {
    expect(heard(event("ann"), question.id)).toEqual([])
    expect(heard(event("ann"), "root/gone/prompt/name")).toEqual([name])
  })

  test("from a bot, or that is not a new message, is not heard", () => {
    expect(heard(event("ann", {user: {id: "other", is_bot: true}}))).toEqual([])
    expect(heard(event("ann", {type: "message-updated"}))).toEqual([])
  })
})

describe("a handler", () => {
  test("runs only for users with the permission, and gives no notice", async () => {
    const handlers = await handlersOf([[/lock/, {permission: "trusted"}, say("locked")]])
    expect(await dispatchOf(handlers).answers("lock it")).toEqual([])
    expect(await dispatchOf(handlers, "admin").answers("lock it")).toEqual([["locked"]])
  })

  test("runs once in its cooldown, and gives no notice", async () => {
    const handlers = await handlersOf([[/tea/, {cooldown: {per: "channel", seconds: 10}}, say("Tea!")]])
    const {answers, pass} = dispatchOf(handlers)
    expect(await answers("tea?", {sn: 1})).toEqual([["Tea!"]])
    expect(await answers("more tea", {sn: 2})).toEqual([])
    expect(await answers("tea", {sn: 3, channel: {id: "other", type: channelType.text}})).toEqual([["Tea!"]])
    pass(10_000)
    expect(await answers("tea!", {sn: 4})).toEqual([["Tea!"]])
  })

  test("whose name now has another pattern fails, and says so", async () => {
    const {run} = dispatchOf(await handlersOf([[/tea/, {name: "drink"}, say("Tea!")]]))
    expect(await run(event("coffee"), "root/test/hears/drink")).toEqual({
      is: "failed",
      error: expect.stringContaining("pattern"),
    })
  })

  test("whose pattern fails runs and fails, so the event is not lost", async () => {
    const broken = () => {
      throw new Error("the engine is broken")
    }
    const {heard, run} = dispatchOf([
      {
        ...runnerOf("root/test/hears/0"),
        definition: {},
        pattern: {test: broken, match: broken},
        handle: say("in vain"),
      },
    ])
    expect(heard(event("hello"))).toEqual(["root/test/hears/0"])
    expect(await run(event("hello"), "root/test/hears/0")).toEqual({is: "failed", error: "the engine is broken"})
  })

  test("sees the first 16,384 characters of a message, and no half character", async () => {
    const {heard, answers} = dispatchOf(
      await handlersOf([
        [/end$/, {}, say("ends")],
        [/x(.)$/su, {}, ({match}) => `x${match.groups[0]}`],
      ]),
    )
    expect(heard(event(`${"x".repeat(16_381)}end`))).toEqual(["root/test/hears/0"])
    expect(heard(event(`${"x".repeat(16_381)}end and more`))).toEqual(["root/test/hears/0"])
    expect(heard(event(`${"x".repeat(16_382)}end`))).toEqual([])
    expect(await answers(`${"x".repeat(16_383)}😀`)).toEqual([["xx"]])
    expect(await answers(`${"x".repeat(16_382)}😀`)).toEqual([["x😀"]])
  })
})
