import {randomUUID} from "node:crypto"
import {channelType, h, type Incoming, type Node, type Sender} from "../../../shared/sdk/sdk.ts"
import {storedFile} from "./stored-file.ts"

/** Where the script is: the bot, and the last message of a person. */
export interface Stage {
  readonly sender: Sender
  readonly features: readonly string[]
  readonly signal: AbortSignal
  readonly said: {readonly channel: string; readonly message: string; readonly user: string; readonly guild?: string}
}

/** A step of the script. */
export interface Step {
  readonly name: string
  /** What the person does. */
  readonly ask: string
  /** What the bot does first, so that the person can. */
  readonly before?: (stage: Stage) => Promise<unknown>
  /** Whether this event shows that the person has done it. A step without it ends by itself. */
  readonly until?: (event: Incoming) => boolean
  /** What the bot does then. */
  readonly after?: (stage: Stage, event: Incoming | undefined) => Promise<unknown>
}

const is =
  (type: string) =>
  (event: Incoming): boolean =>
    event.type === type

const hasFile = ({type, message}: Incoming): boolean =>
  type === "message-created" && /<(img|audio|video|file)[\s/]/.test(message?.content ?? "")

const send = async ({sender, said, signal}: Stage, ...content: readonly Node[]): Promise<string> => {
  const {ids} = await sender.send({id: randomUUID(), channel: said.channel, content}, signal)
  return ids[0] ?? ""
}

const act = (stage: Stage, message: string) => ({id: randomUUID(), channel: stage.said.channel, message})

const quoting = (stage: Stage) => h("quote", {id: stage.said.message})

/** Uses each act of the adapter once. An adapter without it does nothing. */
const actOnce = async (stage: Stage): Promise<void> => {
  const {sender, said, signal} = stage
  await sender.typing?.(said.channel, signal)
  const own = await send(stage, "This message changes.")
  await sender.edit?.({...act(stage, own), content: ["This message has changed."]}, signal)
  await sender.react?.({...act(stage, own), emoji: "👍"}, signal)
  await sender.unreact?.({...act(stage, own), emoji: "👍"}, signal)
  await sender.delete?.(act(stage, own), signal)
  await sender.open?.(said.user, signal)
}

const answerInGroup = async (stage: Stage): Promise<void> => {
  const {sender, said, signal, features} = stage
  await send(stage, quoting(stage), "I read this group.")
  if (said.guild !== undefined && features.includes("guild.member.get"))
    await sender.call?.("guild.member.get", {guild_id: said.guild, user_id: said.user}, signal)
}

/** What a person and the bot do, in order. The words of people are never recorded. */
export const script: readonly Step[] = [
  {
    name: "hello",
    ask: "Write hello to the bot, in a direct chat.",
    until: is("message-created"),
    after: stage => send(stage, quoting(stage), h("b", "Hello."), " Thank you."),
  },
  {name: "edit", ask: "Edit your message.", until: is("message-updated")},
  {
    name: "press",
    ask: "Press the bot's button.",
    before: stage => send(stage, "Press this.", h("button", {id: "recording:press"}, "Press")),
    until: is("interaction/button"),
    after: (stage, event) =>
      stage.sender.edit?.({...act(stage, event?.message?.id ?? ""), content: ["Pressed."]}, stage.signal) ??
      Promise.resolve(),
  },
  {
    name: "file",
    ask: "Send the bot a small text file.",
    until: hasFile,
    after: async (stage, event) => {
      await readFile(stage, event)
      await sendFile(stage)
    },
  },
  {name: "acts", ask: "Wait: the bot edits, reacts and deletes.", after: actOnce},
  {
    name: "join",
    ask: "Add the bot to a group or channel, in Telegram as an administrator, in Discord to a new server.",
    until: ({type}) => /^guild-(added|updated)$/.test(type),
  },
  {
    name: "group",
    ask: "Write hello there.",
    until: ({type, channel}) => type === "message-created" && channel?.type !== channelType.direct,
    after: answerInGroup,
  },
  {name: "react", ask: "React with 👍 to a message there.", until: is("reaction-added")},
]

/** Sends a file, which some adapters upload first. */
const sendFile = async (stage: Stage): Promise<void> => {
  const {sender, said, signal} = stage
  const src = (await sender.upload?.({file: storedFile, channel: said.channel}, signal)) ?? storedFile.src
  await send(stage, "A file.", h("file", {src, title: storedFile.name}))
}

/** Reads the file of a message to its end, as a plugin does. */
const readFile = async ({sender, signal}: Stage, event: Incoming | undefined): Promise<void> => {
  const found = elementIn(event?.message?.content ?? "")
  if (found === undefined) return
  const opened = await sender.download?.({element: h("file", {src: found}), src: found}, signal)
  await new Response(opened instanceof Response ? opened.body : (opened ?? null)).arrayBuffer()
}

const elementIn = (content: string): string | undefined =>
  /<(?:img|audio|video|file)[^>]*\ssrc="([^"]+)"/.exec(content)?.[1]
