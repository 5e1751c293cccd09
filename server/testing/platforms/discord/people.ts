import type {Act, Said} from "../fake/platform.ts"
import {findButton, votedIn} from "../fake/shown.ts"
import type {Sessions} from "./sessions.ts"
import {type FakeMessage, guild, publicUser, type World} from "./world.ts"

/** What people do in the fake. */
export type People = ReturnType<typeof createPeople>

type Fields = Readonly<Record<string, unknown>>

interface Component {
  readonly type: number
  readonly label?: string
  readonly custom_id?: string
  readonly options?: readonly {readonly label: string; readonly value: string}[]
  readonly components?: readonly Component[]
}

/** The buttons and the options of menus that people can press, with the data of the interaction. */
const buttonsIn = (components: readonly unknown[]): readonly {readonly label: string; readonly data: object}[] =>
  (components as readonly Component[]).flatMap(({type, label = "", custom_id, options = [], components: own = []}) => [
    ...(type === 2 && custom_id !== undefined ? [{label, data: {component_type: type, custom_id}}] : []),
    ...options.map(({label, value}) => ({label, data: {component_type: type, custom_id, values: [value]}})),
    ...buttonsIn(own),
  ])

interface PeopleOptions {
  readonly world: World
  readonly sessions: Sessions
  readonly origin: () => string
  readonly sent: readonly string[]
}

export const createPeople = ({world, sessions, origin, sent}: PeopleOptions) => {
  let last: FakeMessage | undefined
  const inGuild = (channel: string) => (world.isGuildChannel(channel) ? {guild_id: guild.id} : {})
  const tell = (name: string, message: FakeMessage): void =>
    sessions.dispatch(name, {...world.tell(message, origin()), ...inGuild(message.channel)})
  const tellDeleted = ({id, channel}: FakeMessage): void =>
    sessions.dispatch("MESSAGE_DELETE", {id, channel_id: channel, ...inGuild(channel)})
  /** Sends a message in any channel; returns the message. */
  const write = (message: Partial<FakeMessage> & Pick<FakeMessage, "channel" | "content">): FakeMessage => {
    last = world.add({author: world.user("42"), ...message})
    tell("MESSAGE_CREATE", last)
    return last
  }
  /** A user's action outside of messages, as the body of a webhook. */
  const interactionOf = ({channel = "600", user = "42", ...interaction}: Fields) => {
    const id = world.makeId()
    const who = publicUser(world.user(String(user)))
    const isGuild = world.isGuildChannel(String(channel))
    return {
      id,
      application_id: "999",
      token: `token/of ${id}`,
      version: 1,
      channel_id: channel,
      channel: {id: channel, type: isGuild ? 0 : 1, ...(isGuild ? {name: "general"} : {})},
      locale: "de",
      ...(isGuild ? {guild_id: guild.id, member: {user: who, nick: "Ann"}} : {user: who}),
      ...interaction,
    }
  }
  /** Dispatches the action; returns the interaction's id. */
  const interact = (interaction: Fields): string => {
    const made = interactionOf(interaction)
    sessions.dispatch("INTERACTION_CREATE", made)
    return made.id
  }
  /** The bot's messages, or the one of them with an id. */
  const shown = (only?: string): readonly FakeMessage[] =>
    sent.filter(id => only === undefined || id === only).flatMap(id => world.messages.get(id) ?? [])
  /** In a direct channel, the only other person. */
  const personIn = (channel: string): string => (world.isGuildChannel(channel) ? "42" : channel)
  return {
    write,
    tell,
    tellDeleted,
    shown,
    say: (...messages: readonly Said[]): void => {
      for (const {text, user = "42", chat = user} of messages)
        write({channel: chat, content: text, author: world.user(user)})
    },
    repeat: (): void => last && tell("MESSAGE_CREATE", last),
    edit: (id: string, content: string): void => {
      const changed = world.change(id, {content, editedAt: new Date().toISOString()})
      if (changed !== undefined) tell("MESSAGE_UPDATE", changed)
    },
    remove: (id: string): void => {
      const found = world.messages.get(id)
      world.messages.delete(id)
      if (found !== undefined) tellDeleted(found)
    },
    react: (id: string, emoji: string, isAdded = true): void => {
      const channel = world.messages.get(id)?.channel ?? "600"
      const user = {
        user_id: "42",
        ...(isAdded && world.isGuildChannel(channel) ? {member: {user: publicUser(world.user("42"))}} : {}),
      }
      const event = {message_id: id, channel_id: channel, emoji: {id: null, name: emoji}, ...user, ...inGuild(channel)}
      sessions.dispatch(isAdded ? "MESSAGE_REACTION_ADD" : "MESSAGE_REACTION_REMOVE", event)
    },
    dispatch: (name: string, data: Fields): void => sessions.dispatch(name, data),
    interactionOf,
    interact,
    /** A person presses the newest button, or option of a menu, with this label. */
    press: (label: string, {user, message: only}: Act = {}): void => {
      const {message, button} = findButton(label, shown(only), ({components}) => buttonsIn(components))
      const by = {channel: message.channel, user: user ?? personIn(message.channel)}
      interact({type: 3, ...by, data: button.data, message: world.tell(message, origin())})
    },
    vote: (id: string, labels: readonly string[], user?: string): void => {
      const {channel = "", poll} = world.messages.get(id) ?? {}
      const voter = user ?? personIn(channel)
      for (const answer of votedIn(poll, voter, labels))
        sessions.dispatch("MESSAGE_POLL_VOTE_ADD", {
          user_id: voter,
          channel_id: channel,
          message_id: id,
          answer_id: answer + 1,
          ...inGuild(channel),
        })
    },
  }
}
