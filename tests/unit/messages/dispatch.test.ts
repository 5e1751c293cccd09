import {describe, expect, test} from "vitest"
import {HandlerMeter} from "../../../server/messages/handler-meter.ts"
import type {EventHandler} from "../../../server/messages/session/handler.ts"
import {noTimers} from "../../../server/messages/session/timers.ts"
import {channelType, type SatoriEvent} from "../../../shared/sdk/content/satori.ts"
import type {PromptDefinition} from "../../../shared/sdk/plugin/prompt.ts"
import type {Reply, Session} from "../../../shared/sdk/session/session.ts"
import type {TSchema} from "../../../shared/type.ts"
import {unknownCommand} from "../../support/messages/answers.ts"
import {firstAttempt} from "../../support/messages/attempt.ts"
import {command} from "../../support/messages/commands.ts"
import {dispatchTo, hearerOf, messageOf, plugin, runnerOf, tableOf} from "../../support/messages/dispatching.ts"

const handler = (handle: (session: Session) => Reply, signal = new AbortController().signal) =>
  hearerOf(handle, {signal})

const echo = {
  command: {
    ...command("echo <text:text>"),
    handle: ({args}: {args: Readonly<Record<string, unknown>>}) => String(args.text),
  },
  runner: runnerOf("root/test/command/echo"),
}

const dispatchOf = (handlers: readonly EventHandler[], timeout?: number) => {
  const dispatch = dispatchTo(tableOf({commands: [echo], handlers}), {
    timers: {...noTimers, prepare: () => ({id: "the timer's id", statements: [], stored: () => {}})},
    ...(timeout === undefined ? {} : {timeout}),
  })
  return {
    match: (of: SatoriEvent) => dispatch.match(of),
    run: (of: SatoriEvent, id = dispatch.match(of)[0] ?? "") =>
      dispatch.run({endpoint: "sandbox", event: of}, id, firstAttempt),
  }
}

const sent = (outcome: Awaited<ReturnType<ReturnType<typeof dispatchOf>["run"]>>) =>
  outcome.is === "handled" ? outcome.sends.map(({content}) => content) : outcome

describe("a handler", () => {
  test("fails at its time limit: its signal is aborted, and later sends are refused", async () => {
    let late: Promise<unknown> | undefined
    let aborted = false
    const {run} = dispatchOf(
      [
        handler(async session => {
          await session.send("in time")
          await new Promise(resolve => session.signal.addEventListener("abort", resolve))
          aborted = true
          late = session.send("too late").catch(error => error.code)
          return "an answer nobody waits for"
        }),
      ],
      20,
    )
    expect(await run(messageOf("hello"))).toEqual({is: "failed", error: "timed out after 0.02 s"})
    await new Promise(resolve => setImmediate(resolve))
    expect(aborted).toBe(true)
    expect(await late).toBe("late")
  })

  test("past its time limit can do nothing more, and is not retried whatever its retries are", async () => {
    const late: Promise<unknown>[] = []
    const codeOf = (work: Promise<unknown>) => work.then(() => "done").catch(error => error.code)
    const slow = handler(async session => {
      await new Promise(resolve => session.signal.addEventListener("abort", resolve))
      const {database} = session
      late.push(...[session.sendNow("now"), session.reply("quoted"), session.react("👍")].map(codeOf))
      late.push(...[database.write([{sql: "DELETE FROM t"}]), database.read("SELECT 1")].map(codeOf))
    })
    const {run} = dispatchOf([{...slow, retries: 3, plugin}], 20)
    expect(await run(messageOf("hello"))).toEqual({is: "failed", error: "timed out after 0.02 s"})
    await new Promise(resolve => setImmediate(resolve))
    expect(await Promise.all(late)).toEqual(["late", "late", "late", "late", "late"])
  })

  test("that throws says how often it is retried; the Host's own handlers have no tables", async () => {
    const thrower = handler(async session => {
      await session.send("in vain")
      throw new Error("as it happens")
    })
    expect(await dispatchOf([{...thrower, retries: 3}]).run(messageOf("hello"))).toEqual({
      is: "failed",
      error: "as it happens",
      retries: 3,
    })
    const writer = handler(session => session.database.write([{sql: "DELETE FROM t"}]))
    expect(await dispatchOf([writer]).run(messageOf("hello"))).toMatchObject({is: "failed"})
  })

  test("whose instance is disposed is interrupted", async () => {
    const instance = new AbortController()
    const {run} = dispatchOf([handler(() => new Promise<never>(() => {}), instance.signal)])
    const running = run(messageOf("hello"))
    instance.abort()
    expect(await running).toEqual({is: "interrupted"})
  })

  test("that the generation no longer has fails", async () => {
    const {run} = dispatchOf([])
    expect(await run(messageOf("hello"), "root/gone/handler/message-created.0")).toEqual({
      is: "failed",
      error: expect.stringContaining("handler"),
    })
    expect(await run(messageOf("hello"), "root/test/command/echo")).toMatchObject({is: "failed"})
  })

  test.each<[string, () => Reply, unknown]>([
    ["nothing", () => undefined, []],
    ["an empty text", () => "", []],
    ["text", () => "text", [["text"]]],
    ["an element", () => ({type: "b", attrs: {}, children: ["x"]}), [[{type: "b", attrs: {}, children: ["x"]}]]],
    [
      "a list",
      async () => ["one ", {type: "br", attrs: {}, children: []}],
      [["one ", {type: "br", attrs: {}, children: []}]],
    ],
  ])("replies with its return value: %s", async (_, handle, expected) => {
    const {run} = dispatchOf([handler(handle)])
    expect(sent(await run(messageOf("hello")))).toEqual(expected)
  })

  test.each<[string, (session: Session) => Reply, unknown]>([
    ["send", session => session.send("one"), [["one"]]],
    ["reply", session => session.reply("one"), [[{type: "quote", attrs: {id: "m"}, children: []}, "one"]]],
    ["prompt", session => session.prompt({kind: "prompt", name: "name"}, "Who?"), [["Who?"]]],
    ["react", async session => await session.react("👍"), [{message: "m", emoji: "👍"}]],
    ["sendNow", session => session.sendNow("early"), []],
    ["timer", session => session.setTimer({kind: "timer", name: "due"}, {in: 60}), []],
    [
      "send, beside other keys",
      async session => `sent ${(await session.send("one")) === "" ? "" : "it"}`,
      [["one"], ["sent it"]],
    ],
  ])("does not reply with the id of an act it did: %s", async (_, handle, expected) => {
    const definition = {id: "root/test/prompt/name", definition: {}, handle: () => undefined}
    const {run} = dispatchOf([{...handler(handle), plugin: {...plugin, prompt: () => definition}}])
    expect(sent(await run(messageOf("hello")))).toEqual(expected)
  })

  test("limits the age of what it sends by its own limit, and else by that of its event", async () => {
    const dispatch = dispatchTo(
      tableOf({
        handlers: [
          handler(async session => {
            await session.send("own", {notAfter: new Date(5), important: true})
            return "inherited"
          }),
        ],
      }),
    )
    const of = messageOf("hello")
    const before = Date.now()
    const limits = async (maxAge: {maxAge?: number}) => {
      const outcome = await dispatch.run({endpoint: "sandbox", event: of}, dispatch.match(of)[0] ?? "", {
        ...firstAttempt,
        ...maxAge,
      })
      return outcome.is === "handled" ? outcome.sends.map(({notAfter, important}) => ({notAfter, important})) : []
    }
    const own = {notAfter: 5, important: true}
    expect(await limits({})).toEqual([own, {}])
    const [first, second] = await limits({maxAge: 60_000})
    expect(first).toEqual(own)
    expect(second?.notAfter).toBeGreaterThanOrEqual(before + 60_000)
    expect(second?.notAfter).toBeLessThanOrEqual(Date.now() + 60_000)
  })

  test("does not send with a limit that is no time", async () => {
    const {run} = dispatchOf([handler(async session => session.reply("no", {notAfter: Number.NaN}))])
    expect(await run(messageOf("hello"))).toMatchObject({is: "failed", error: expect.stringContaining("notAfter")})
  })

  test("gets the platform's own event only if its plugin declares raw", async () => {
    const raw = {type: "update", data: {n: 1}}
    const seen: unknown[] = []
    const note = handler(session => void seen.push(session.event.raw))
    for (const isRaw of [true, false]) {
      const table = tableOf({handlers: [{...note, plugin: {...plugin, raw: isRaw}}]})
      const dispatch = new HandlerMeter().measure(dispatchTo(table))
      expect([dispatch.keepsRaw?.([note.id]), dispatch.loginOf?.("line")]).toEqual([isRaw, {platform: "line"}])
      await dispatch.run({endpoint: "line", event: messageOf("hello"), raw}, note.id, firstAttempt)
    }
    expect(seen).toEqual([raw, undefined])
  })

  test("of a timer knows how late it runs", async () => {
    const id = "root/test/timer/due"
    const late: number[] = []
    const due = {
      id,
      definition: {},
      handle: (_: Session, __: never, {lateBy}: {lateBy: number}) => void late.push(lateBy),
    }
    const dispatch = dispatchTo(tableOf({timers: [{...handler(() => undefined), id, timer: due}]}))
    const fired = {...messageOf("x"), type: "timer", _data: {name: "due", data: null}}
    for (const timestamp of [Date.now() - 60_000, Date.now() + 60_000])
      await dispatch.run({endpoint: "timer", event: {...fired, timestamp}}, id, firstAttempt)
    expect(late).toEqual([expect.closeTo(60_000, -4), 0])
  })

  test("sends in the order of its calls, its reply last; a reply quotes, a reaction names the message", async () => {
    const {run} = dispatchOf([
      handler(async session => {
        await session.send("one")
        await session.reply("two")
        await session.react("👍")
        await session.send({endpoint: "irc~libera", channel: "#team"}, "elsewhere")
        return "last"
      }),
    ])
    const outcome = await run(messageOf("hello"))
    if (outcome.is !== "handled") throw new Error("not handled")
    expect(outcome.sends.map(({id: _, ...draft}) => draft)).toEqual([
      {kind: "message", endpoint: "sandbox", channel: "c", content: ["one"]},
      {
        kind: "message",
        endpoint: "sandbox",
        channel: "c",
        content: [{type: "quote", attrs: {id: "m"}, children: []}, "two"],
      },
      {kind: "reaction", endpoint: "sandbox", channel: "c", content: {message: "m", emoji: "👍"}},
      {kind: "message", endpoint: "irc~libera", channel: "#team", content: ["elsewhere"]},
      {kind: "message", endpoint: "sandbox", channel: "c", content: ["last"]},
    ])
    expect(new Set(outcome.sends.map(({id}) => id)).size).toBe(5)
  })

  test("stores its acts in the lanes of their messages", async () => {
    const {run} = dispatchOf([
      handler(async session => {
        await session.edit(await session.send({endpoint: "irc", user: "ann"}, "one"), "two")
        await session.delete({platform: "theirs"})
        await session.unreact({platform: "m", channel: "#team", endpoint: "irc"}, "👍")
        await session.call("guild.member.mute", {guild_id: "g", user_id: "u", duration: 60_000})
      }),
    ])
    const outcome = await run(messageOf("hello"))
    if (outcome.is !== "handled") throw new Error("not handled")
    const [sent, ...acts] = outcome.sends
    const address = {endpoint: "irc", channel: "user:ann", user: "ann"}
    expect(sent).toMatchObject({...address, kind: "message"})
    expect(acts.map(({id: _, ...draft}) => draft)).toEqual([
      expect.objectContaining({...address, kind: "edit", content: {message: {outbox: sent?.id}, content: ["two"]}}),
      {kind: "delete", endpoint: "sandbox", channel: "c", content: {message: {platform: "theirs"}}},
      {kind: "unreact", endpoint: "irc", channel: "#team", content: {message: {platform: "m"}, emoji: "👍"}},
      {
        kind: "call",
        endpoint: "sandbox",
        channel: "g",
        content: {method: "guild.member.mute", params: {guild_id: "g", user_id: "u", duration: 60_000}},
      },
    ])
  })

  test("of an event without a channel writes and asks in the user's direct channel", async () => {
    const {channel: _, ...alone} = messageOf("hello")
    const definition = {id: "root/p/prompt/name", definition: {}, handle: () => undefined}
    const asking = handler(async session => session.prompt({kind: "prompt", name: "name"}, "Who?"))
    const {run} = dispatchOf([{...asking, plugin: {...plugin, prompt: () => definition}}])
    const outcome = await run(alone)
    expect(outcome).toMatchObject({
      is: "handled",
      sends: [{channel: "user:ann", user: "ann", content: ["Who?"]}],
      questions: [{channel: "user:ann", user: "id ann"}],
    })
  })

  test("cannot act on a message that the outbox does not have", async () => {
    const {run} = dispatchOf([handler(async session => void (await session.delete("nothing")))])
    expect(await run(messageOf("hello"))).toMatchObject({is: "failed", error: expect.stringMatching(/ nothing$/)})
  })
})

describe("an open question", () => {
  const prompt = (name: string, definition: PromptDefinition<TSchema> = {}) => {
    const id = `root/test/prompt/${name}`
    return {...runnerOf(id), prompt: {id, definition, handle: () => undefined}}
  }
  const prompts = [prompt("name"), prompt("never", {cancel: ""}), prompt("pattern", {takesCommands: true})]
  const dispatch = dispatchTo(tableOf({commands: [echo], prompts}))
  const taker = (text: string, question = "name") => dispatch.match(messageOf(text), `root/test/prompt/${question}`)[0]

  test("is answered by a message without a prefix, even one that names a command", () => {
    expect(taker("Ada")).toBe("root/test/prompt/name")
    expect(taker("echo hi")).toBe("root/test/prompt/name")
    expect(taker('<img src="https://x.example/i.png"/>')).toBe("root/test/prompt/name")
  })

  test("is not answered by a message with a prefix, even an unknown command", () => {
    expect(taker("/echo hi")).toBe("root/test/command/echo")
    expect(taker("/ecko hi")).toBe("host/unknown")
    expect(taker("/shrug")).toBe("host/unknown")
  })

  test("is cancelled by its word with a prefix too", () => {
    for (const text of ["/Cancel", "／ＣＡＮＣＥＬ\u200f"]) expect(taker(text)).toBe("root/test/prompt/name")
    expect(taker("/cancel", "never")).toBe("host/unknown")
  })

  test("accepts any message if it asks for commands", () => {
    expect(["/echo hi", "/shrug", "Ada"].map(text => taker(text, "pattern"))).toEqual(
      Array(3).fill("root/test/prompt/pattern"),
    )
  })
})

describe("a message", () => {
  const {match, run} = dispatchOf([])

  test("that calls a command reaches it, and is answered", async () => {
    expect(match(messageOf("/echo hello  there"))).toEqual(["root/test/command/echo"])
    expect(sent(await run(messageOf("/echo hello  there")))).toEqual([["hello  there"]])
  })

  test("passes its text to the command, not its markup", async () => {
    expect(sent(await run(messageOf("/echo &lt;b&gt; <b>bold</b>")))).toEqual([["<b> bold"]])
  })

  test("calls a command with or without a file, which is not an argument", async () => {
    expect(sent(await run(messageOf('/echo <file src="https://x.example/f" title="a.txt"/>')))).toEqual([
      ["text is missing. Usage: /echo <text...>"],
    ])
    expect(
      sent(await run(messageOf('<img src="https://x.example/i.png"/>/echo hi <a href="https://y.example">there</a>'))),
    ).toEqual([["hi there"]])
  })

  test("that misuses a command is answered with its usage", async () => {
    expect(sent(await run(messageOf("/echo")))).toEqual([["text is missing. Usage: /echo <text...>"]])
  })

  test("that calls no command is answered if it was meant for the bot", async () => {
    expect(sent(await run(messageOf("/ecko hi")))).toEqual([[unknownCommand("ecko", "/echo")]])
    expect(match(messageOf("/shrug", {channel: {id: "c", type: channelType.text}}))).toEqual([])
  })

  test("of another bot calls nothing, so that two bots do not talk forever", () => {
    expect(match(messageOf("/echo hi", {user: {id: "other", is_bot: true}}))).toEqual([])
  })

  test("that was edited or deleted calls nothing", () => {
    expect(match(messageOf("/echo hi", {type: "message-updated"}))).toEqual([])
  })
})

test("a message is decoded once, for all who ask for its text", async () => {
  const read = {times: 0}
  const message = Object.defineProperty({id: "m", content: ""}, "content", {
    get: () => {
      read.times++
      return "1 &lt; 2"
    },
  })
  const of = messageOf("", {message})
  const {run} = dispatchOf([handler(session => session.text)])
  for (let n = 0; n < 2; n++) expect(sent(await run(of))).toEqual([["1 < 2"]])
  expect(read.times).toBe(1)
})
