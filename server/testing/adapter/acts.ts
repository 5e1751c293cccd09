import assert from "node:assert/strict"
import {readText} from "../../../shared/sdk/adapter/answer.ts"
import {type Check, type Connected, unnamed, where} from "./check.ts"
import type {HostUnderTest} from "./host-under-test.ts"
import type {PlatformUnderTest} from "./platform.ts"
import type {EndpointState, Trial} from "./trial.ts"

/** The Satori method with which a client requests each act. */
const methodOf = {
  edit: "message.update",
  delete: "message.delete",
  react: "reaction.create",
  unreact: "reaction.delete",
  history: "message.list",
} as const

type Act = keyof typeof methodOf

const isUnknown = ({login}: EndpointState) =>
  login?.user === undefined ? "the adapter did not call endpoint.login" : undefined

/** If `features` does not name the act, checks that the Host refuses it. One Host serves these checks for all acts. */
const withFeature = (act: Act, acting: Connected): Check => {
  const online = where(isUnknown, async (trial, host, about) => {
    if (about.features.includes(act)) return acting(trial, host, about)
    trial.found.refusals = await refusalsOf(trial, host, about)
    return undefined
  })
  return async trial => {
    const refusal = () => trial.found.refusals?.[act]
    const missing = refusal() === undefined ? await online(trial) : undefined
    const status = refusal()
    if (missing !== undefined || status === undefined) return missing
    assert.equal(status, 501, `features does not name ${act}, so the Host must refuse ${methodOf[act]}`)
    return `features does not name ${act}`
  }
}

const refusalsOf = async (
  trial: Trial,
  host: HostUnderTest,
  about: EndpointState,
): Promise<Readonly<Record<string, number>>> => {
  const body = {channel_id: trial.platform.channel, message_id: "1", emoji_id: "x", content: "x"}
  const refusals: Record<string, number> = {}
  for (const [act, method] of Object.entries(methodOf))
    if (unnamed(about, act) !== undefined) refusals[act] = (await trial.satori(host, method, body)).status
  return refusals
}

const edits: Connected = async (trial, host, {limits}) => {
  const id = await sent(trial, host, "before")
  await does(trial, host, "edit", {message_id: id, content: "after"})
  await untilHeard(trial, ["after"])
  if (limits.text === undefined) return undefined
  const long = await sent(trial, host, textOf(limits.text + 1, "0"))
  const inParts = "a text longer than limits.text to arrive in parts"
  await trial.until(inParts, async () => (await textsHeard(trial)).length > 2)
  const other = textOf(limits.text + 1, "5")
  await does(trial, host, "edit", {message_id: long, content: other})
  await trial.until("each part of a message to be edited: each is a call of edit with its own id", async () => {
    const [, ...texts] = await textsHeard(trial)
    return texts.join("") === other
  })
}

const deletes: Connected = async (trial, host) => {
  const id = await sent(trial, host, "to be deleted")
  await sent(trial, host, "to stay")
  await does(trial, host, "delete", {message_id: id})
  await untilHeard(trial, ["to stay"])
  // As after a kill in between: the act is repeated, and its message no longer exists.
  await does(trial, host, "delete", {message_id: id})
}

const reacts: Connected = async (trial, host, {features}) => {
  const id = await sent(trial, host, "react to this")
  await untilHeard(trial, ["react to this"])
  const reactions = async () => (await trial.heard())[0]?.reactions
  if ((await reactions()) === undefined) return "platform.heard shows no reactions"
  await does(trial, host, "react", {message_id: id, emoji_id: "👍"})
  await trial.until("the bot's reaction", async () => (await reactions())?.includes("👍"))
  if (!features.includes("unreact")) return undefined
  await does(trial, host, "unreact", {message_id: id, emoji_id: "👍"})
  await trial.until("the platform to remove the bot's reaction", async () => (await reactions())?.length === 0)
  return undefined
}

const tellsHistory: Connected = async (trial, host) => {
  const said = ["one", "two", "three", "four"]
  for (const text of said) await trial.platform.say(text, trial.address)
  const list = async (more: Readonly<Record<string, unknown>>) => {
    const answer = await does(trial, host, "history", more)
    return (answer as {readonly data: readonly {readonly id: string; readonly content: string}[]}).data
  }
  const newest = await list({limit: 3})
  const contents = (messages: typeof newest) => messages.map(({content}) => content)
  assert.deepEqual(contents(newest), said.slice(1), "history without before and after returns the newest in order")
  const behind = await list({limit: 50, direction: "after", next: newest[0]?.id})
  assert.deepEqual(contents(behind), said.slice(2), "with after, history returns the messages after it in order")
  const before = await list({limit: 1, direction: "before", next: newest[1]?.id})
  assert.deepEqual(contents(before), ["two"], "with before, history returns the messages directly before it")
}

const opensNone = (about: EndpointState, {user}: PlatformUnderTest) =>
  unnamed(about, "open") ??
  (user === undefined || about.login?.user === undefined
    ? "there is no user to open a channel to: set platform.user"
    : undefined)

const opens = where(opensNone, async (trial, host) => {
  const {user} = trial.platform
  const channel = await answerOf(trial, host, "user.channel.create", {user_id: user})
  const {id} = channel as {readonly id?: unknown}
  assert.ok(typeof id === "string" && id !== "", "open must resolve to a channel with an id")
  const again = await answerOf(trial, host, "user.channel.create", {user_id: user})
  assert.deepEqual(again, channel, "open must return the same channel for the same user")
})

const callable = ({features, login}: EndpointState, {calls: known = {}}: PlatformUnderTest): readonly string[] =>
  login?.user === undefined ? [] : features.filter(feature => feature.includes(".") && Object.hasOwn(known, feature))

const callsNone = (about: EndpointState, platform: PlatformUnderTest) =>
  callable(about, platform).length === 0 ? "there is no method to call: set platform.calls" : undefined

const calls = where(callsNone, async (trial, host, about) => {
  const {calls: known = {}} = trial.platform
  for (const method of callable(about, trial.platform)) {
    await answerOf(trial, host, method, known[method] ?? {})
    // The Host also answers a call that the platform has not accepted in time: it is durable, and the Host retries it.
    await trial.until(`the platform to accept ${method}`, async () => {
      const {items} = await host.api.get("/api/outbox", {limit: 50})
      return items.every(({state}) => state === "sent")
    })
  }
})

const listsNone = (about: EndpointState, {commands}: PlatformUnderTest) =>
  unnamed(about, "commands") ??
  (commands === undefined ? "the platform shows no list of commands: set platform.commands" : undefined)

const listsCommands = where(listsNone, async ({platform, address, until}) => {
  await until("the platform to list the command help: commands replaces its list", async () =>
    (await platform.commands?.(address))?.includes("help"),
  )
})

const showsNobody = (about: EndpointState, {typing}: PlatformUnderTest) =>
  unnamed(about, "typing") ??
  (typing === undefined ? "the platform does not show who is typing: set platform.typing" : undefined)

const typesIn: Connected = async ({platform, address, until}) => {
  const times = async () => (await platform.typing?.(address)) ?? 0
  const before = await times()
  await platform.say("are you there?", address)
  await until("the platform to show that the bot is typing", async () => (await times()) > before)
}

export const showsWriting = where(showsNobody, typesIn, true)

const splitsNone = ({limits}: EndpointState) => (limits.text === undefined ? "limits.text is not set" : undefined)

const splits = where(splitsNone, async (trial, host, {limits: {text: longest = 0}}) => {
  const whole = textOf(longest, "0")
  await sent(trial, host, whole)
  await trial.until("the text to arrive", async () => (await textsHeard(trial)).length > 0)
  assert.deepEqual(await textsHeard(trial), [whole], "a text as long as limits.text must arrive as one message")
  // One grapheme of two code units, which must not be split.
  const longer = `${textOf(longest - 1, "5")}e\u0301`
  await sent(trial, host, longer)
  const others = async () => (await textsHeard(trial)).slice(1)
  await trial.until("the parts to arrive", async () => (await others()).join("").length >= longer.length)
  const parts = await others()
  assert.ok(parts.length > 1, "a text one grapheme longer than limits.text must arrive in parts")
  assert.equal(parts.join(""), longer, "the parts of a message must arrive in order, with nothing lost")
  assert.ok(parts.at(-1)?.endsWith("e\u0301"), "no grapheme may be split")
})

/** The checks by what they prove about the adapter; part of `allChecks`. */
export const actChecks: Readonly<Record<string, Check>> = {
  "sends a text of the longest length as one message, and a longer one in parts": splits,
  "edits its messages, each part too": withFeature("edit", edits),
  "deletes its messages": withFeature("delete", deletes),
  "reacts, and removes its reaction": withFeature("react", reacts),
  "returns the history of a channel in order": withFeature("history", tellsHistory),
  "opens a direct channel to a user": opens,
  "lists the bot's commands where its users look for them": listsCommands,
  "answers the methods that its features name": calls,
}

/** Returns a text of `length` characters, without a place to split it. */
const textOf = (length: number, first: string): string =>
  Array.from({length}, (_, index) => (Number(first) + index) % 10).join("")

const textsHeard = async ({heard}: Trial): Promise<readonly string[]> => (await heard()).map(({text}) => text)

/** Sends a message and waits until it is sent. Resolves to its outbox id. */
const sent = async (trial: Trial, host: HostUnderTest, text: string): Promise<string> => {
  const id = await trial.send(host, text)
  await trial.untilSent(host, id, "sent")
  return id
}

const untilHeard = (trial: Trial, texts: readonly string[]) =>
  trial.until(`the channel to have ${JSON.stringify(texts)}`, async () => {
    const heard = await textsHeard(trial)
    return heard.length === texts.length && heard.every((text, index) => text === texts[index])
  })

const does = (trial: Trial, host: HostUnderTest, act: Act, body: Readonly<Record<string, unknown>>) =>
  answerOf(trial, host, methodOf[act], {channel_id: trial.platform.channel, ...body})

/** Returns the adapter's response to a Satori client. Throws if the call fails. */
const answerOf = async (
  trial: Trial,
  host: HostUnderTest,
  method: string,
  body: Readonly<Record<string, unknown>>,
): Promise<unknown> => {
  const answer = await trial.satori(host, method, body)
  const text = await readText(answer)
  assert.ok(answer.ok, `features names what ${method} needs, but the Host answered ${answer.status}: ${text}`)
  return JSON.parse(text)
}
