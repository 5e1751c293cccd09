import {describe, expect, onTestFinished, test} from "vitest"
import type {Location} from "../../../server/database/database.ts"
import {parsePattern} from "../../../server/messages/arguments/pattern.ts"
import {systemClock} from "../../../server/runtime/flow/clock.ts"
import {channelType} from "../../../shared/sdk/content/satori.ts"
import type {Session} from "../../../shared/sdk/session/session.ts"
import {UserError} from "../../../shared/sdk/session/user-error.ts"
import {engines, open} from "../../support/database/databases.ts"
import {dispatchTo, hearerOf, runnerOf, tableOf} from "../../support/messages/dispatching.ts"
import {incoming} from "../../support/messages/line-endpoint.ts"
import {startInbox} from "../../support/messages/line-inbox.ts"

interface Say {
  readonly channel?: string
  readonly type?: number
  readonly isBot?: boolean
}

/** A bot with this behaviour for the command `/fail` and its message handler, on a clock of the test. */
const openBot = async (place: Location, {retries = 0, text = "Sorry ({event})."} = {}) => {
  const database = await open(place)
  let now = 0
  let failing: (session: Session) => unknown = () => {
    throw new Error("a detail that no user needs")
  }
  const handler = hearerOf(async session => void (session.text.startsWith("/") ? undefined : await failing(session)), {
    id: "root/bot/handler/message-created.0",
    retries,
  })
  const pattern = parsePattern("fail")
  const command = {
    command: {
      ...pattern,
      id: "root/bot/command/fail",
      owner: "root/bot" as const,
      aliases: [],
      definition: {},
      handle: (async ({session}: {session: Session}) => void (await failing(session))) as never,
    },
    runner: runnerOf("root/bot/command/fail", {retries}),
  }
  const table = tableOf({commands: [command], handlers: [handler], failureText: text})
  const dispatch = dispatchTo(table, {clock: {...systemClock, elapsed: () => now}})
  const {inbox, receive, idle} = await startInbox(database, dispatch, {pauses: {first: 1, longest: 1}})
  onTestFinished(() => inbox.drain())
  let number = 0
  const say = async (content: string, {channel = "c", type = channelType.text, isBot = false}: Say = {}) => {
    const [place, user] = [
      {id: channel, type},
      {id: "ann", is_bot: isBot},
    ]
    await receive(incoming(`e${++number}`, {channel: place, user, message: {id: "m", content}}))
    await idle()
  }
  const told = async () =>
    (await database.read("SELECT channel, content, inbox_seq FROM outbox ORDER BY seq")).map(
      ({channel, content, inbox_seq}) => `${inbox_seq} ${channel} ${JSON.parse(String(content)).join("")}`,
    )
  return {
    database,
    say,
    told,
    pass: (milliseconds: number) => {
      now += milliseconds
    },
    fails: (with_: (session: Session) => unknown) => {
      failing = with_
    },
  }
}

describe.each(engines)("a user, on $name,", ({make}) => {
  test("gets one sentence when a command or direct message failed, once a minute per channel", async () => {
    const {say, told, pass} = await openBot(await make())
    await say("/fail")
    await say("/fail")
    await say("/fail", {channel: "other"})
    await say("hello", {channel: "dm", type: channelType.direct})
    pass(60_000)
    await say("/fail")
    expect(await told()).toEqual(["1 c Sorry (1).", "3 other Sorry (3).", "4 dm Sorry (4).", "5 c Sorry (5)."])
  })

  test("gets no note for other group messages, for a bot, or when the text is empty", async () => {
    const bot = await openBot(await make())
    await bot.say("hello")
    await bot.say("hello", {channel: "dm", type: channelType.direct, isBot: true})
    const silent = await openBot(await make(), {text: ""})
    await silent.say("/fail")
    expect([await bot.told(), await silent.told()]).toEqual([[], []])
  })

  test("gets the note after the last retry, together with the mark", async () => {
    const {say, told, database} = await openBot(await make(), {retries: 2})
    await say("/fail")
    expect(await told()).toEqual(["1 c Sorry (1)."])
    expect(await database.read("SELECT state, failures FROM inbox_marks WHERE handler LIKE '%/command/%'")).toEqual([
      {state: "failed", failures: 2},
    ])
  })

  test("gets the text of a UserError as the reply at the first attempt, and no earlier sends", async () => {
    const {say, told, fails, database} = await openBot(await make(), {retries: 2})
    fails(async session => {
      await session.send("half done")
      throw new UserError("There is no such room.")
    })
    await say("/fail")
    expect(await told()).toEqual(["1 c There is no such room."])
    expect(await database.read("SELECT DISTINCT state, failures FROM inbox_marks")).toEqual([
      {state: "handled", failures: 0},
    ])
  })
})
