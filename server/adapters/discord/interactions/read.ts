import {type DatedIncoming, type Element, renderContent} from "../../../../shared/sdk/sdk.ts"
import {idIn, numberIn, type Payload, payloadOf, payloadsOf, textIn, timeOf} from "../api/payload.ts"
import type {Places} from "../api/places.ts"
import {hiddenValues, modalOf} from "../content/components.ts"
import {contentOf} from "../content/message.ts"
import {readMarkdown} from "../content/read.ts"
import {memberUserOf, userOf} from "../content/user.ts"

/** The answer to Discord, due within three seconds. */
export type Callback = Readonly<Record<string, unknown>>

/** A user's action outside of messages, and the answer to Discord. */
export interface Interaction {
  readonly id: string
  readonly token: string
  readonly application: string
  readonly events: readonly DatedIncoming[]
  readonly answer: Callback
  /** Whether the answer shows that the bot is thinking, until the adapter deletes it. */
  readonly isThinking: boolean
}

/** Kinds of interactions and of answers (Discord: Receiving and Responding). */
export const interactionType = {ping: 1, command: 2, component: 3, autocomplete: 4, modal: 5} as const
const answers = {
  /** The message does not change. */
  nothing: {type: 6},
  /** Only the user sees that the bot is working. */
  thinking: {type: 5, data: {flags: 64}},
  /** No suggestions. */
  noChoices: {type: 8, data: {choices: []}},
} as const

export interface InteractionReading {
  readonly places: Places
  /** Returns the form of a sent button; undefined if the button has no form, or the form is no longer known. */
  form(id: string): Element | undefined
}

/** Returns undefined for an invalid payload, or for an unknown kind of interaction. */
export const readInteraction = (data: Payload, reading: InteractionReading): Interaction | undefined => {
  const [id, token, application] = [idIn(data), textIn(data, "token"), idIn(data, "application_id")]
  const kind = numberIn(data, "type")
  if (id === undefined || token === undefined || application === undefined) return undefined
  const make = (answer: Callback, events: readonly DatedIncoming[] = [], isThinking = false): Interaction => ({
    id,
    token,
    application,
    events,
    answer,
    isThinking,
  })
  if (kind === interactionType.autocomplete) return make(answers.noChoices)
  if (kind === interactionType.command) return make(answers.thinking, [commandEvent(id, data, reading)], true)
  if (kind === interactionType.modal) return make(answers.nothing, [formEvent(id, data, reading)])
  if (kind !== interactionType.component) return undefined
  const form = reading.form(pressedIn(data)[0] ?? "")
  return form === undefined
    ? make(answers.nothing, pressEvents(id, data, reading))
    : make({type: 9, data: modalOf(form)})
}

const eventOf = (id: string, data: Payload, {places}: InteractionReading) => {
  const channel = payloadOf(data.channel)
  places.learnChannel(channel)
  const user = memberUserOf(payloadOf(data.member)) ?? userOf(payloadOf(data.user))
  const locale = textIn(data, "locale")
  return {
    id,
    timestamp: timeOf(id),
    ...places.placeOf({channel_id: data.channel_id ?? channel.id, guild_id: data.guild_id}),
    ...(user === undefined ? {} : {user: {...user, ...(locale === undefined ? {} : {locale})}}),
    // The interaction's token could answer as the bot.
    raw: {type: "INTERACTION_CREATE", data: {...data, token: undefined}},
  }
}

/** Returns a slash command as the message that calls it. */
const commandEvent = (id: string, data: Payload, reading: InteractionReading): DatedIncoming => {
  const command = payloadOf(data.data)
  const users = payloadOf(payloadOf(command.resolved).users)
  const named = {
    user: (user: string) => textIn(payloadOf(users[user]), "username"),
    channel: reading.places.channelName,
    everyone: false,
  }
  const text = `/${wordsOf(command).join(" ")}`
  return {
    ...eventOf(id, data, reading),
    type: "message-created",
    message: {id, content: renderContent(readMarkdown(text, named)), created_at: timeOf(id)},
  }
}

/** Returns the command, its subcommands and the given values. */
const wordsOf = (command: Payload): readonly string[] => {
  const {value} = command
  const given = typeof value === "string" || typeof value === "number" || typeof value === "boolean"
  return [given ? String(value) : (textIn(command, "name") ?? ""), ...payloadsOf(command.options).flatMap(wordsOf)]
}

/** Returns a button's id, or the ids of the chosen options. */
const pressedIn = (data: Payload): readonly string[] => {
  const {values, ...pressed} = payloadOf(data.data)
  if (Array.isArray(values) && values.length > 0) return values.filter(value => typeof value === "string")
  const id = textIn(pressed, "custom_id")
  return id === undefined ? [] : [id]
}

const messageIn = (data: Payload, {places}: InteractionReading) => {
  const message = payloadOf(data.message)
  const id = idIn(message)
  return id === undefined ? {} : {message: {id, content: contentOf(message, places.channelName)}}
}

const pressEvents = (id: string, data: Payload, reading: InteractionReading): readonly DatedIncoming[] =>
  pressedIn(data).map((button, number) => ({
    ...eventOf(id, data, reading),
    ...messageIn(data, reading),
    id: number === 0 ? id : `${id}:${number + 1}`,
    type: "interaction/button",
    button: {id: button},
  }))

const formEvent = (id: string, data: Payload, reading: InteractionReading): DatedIncoming => {
  const modal = payloadOf(data.data)
  const button = textIn(modal, "custom_id") ?? ""
  const form = reading.form(button)
  const filled = inputsIn(modal).flatMap(input => {
    const name = textIn(input, "custom_id")
    const value = Array.isArray(input.values) ? input.values[0] : input.value
    return name === undefined || typeof value !== "string" ? [] : [[name, value.toWellFormed()] as const]
  })
  return {
    ...eventOf(id, data, reading),
    ...messageIn(data, reading),
    type: "interaction/button",
    button: {id: button},
    form: {values: {...(form === undefined ? {} : hiddenValues(form)), ...Object.fromEntries(filled)}},
  }
}

/** Returns the inputs of a modal, each within a label or a row. */
const inputsIn = (part: Payload): readonly Payload[] => [
  ...payloadsOf(part.components).flatMap(child => [child, ...inputsIn(child)]),
  ...("component" in part ? [payloadOf(part.component)] : []),
]
