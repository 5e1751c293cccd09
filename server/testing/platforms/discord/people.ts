import type {FakePlatform} from "../fake/platform.ts"
import {findButton, votedIn} from "../fake/shown.ts"
import type {Sessions} from "./sessions.ts"
import {type FakeMessage, guild, publicUser, type World} from "./world.ts"

/** What people do in the fake. */
export interface People extends Pick<FakePlatform, "say" | "repeat"> {
  /** Sends a message in any channel; returns the message. */
  write(message: Partial<FakeMessage> & {readonly channel: string; readonly content: string}): FakeMessage
  edit(id: string, content: string): void
  remove(id: string): void
  react(id: string, emoji: string, isAdded?: boolean): void
  /** Dispatches a raw event of the gateway. */
  dispatch(name: string, data: Readonly<Record<string, unknown>>): void
  /** A user's action outside of messages; returns the interaction's id. */
  interact(interaction: Readonly<Record<string, unknown>>): string
  /** A person presses the newest button, or option of a menu, with this label. */
  press(label: string, by?: {readonly user?: string | undefined; readonly message?: string | undefined}): void
  /** A person votes in a poll of the bot. */
  vote(message: string, labels: readonly string[], user?: string): void
  /** The same as the body of a webhook. */
  interactionOf(interaction: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>>
  /** Tells the bot of a message. */
  tell(name: string, message: FakeMessage): void
  tellDeleted(message: FakeMessage): void
  /** The bot's messages, or the one of them with an id. */
  shown(only?: string): readonly FakeMessage[]
}

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
  /** The address of files. */
  readonly origin: () => string
  /** The ids of the bot's messages. */
  readonly sent: readonly string[]
}

export const createPeople = ({world, sessions, origin, sent}: PeopleOptions): People => {
  let last: FakeMessage | undefined
  const inGuild = (channel: string) => (world.isGuildChannel(channel) ? {guild_id: guild.id} : {})
  const tell: People["tell"] = (name, message) =>
    sessions.dispatch(name, {...world.tell(message, origin()), ...inGuild(message.channel)})
  const tellDeleted: People["tellDeleted"] = ({id, channel}) =>
    sessions.dispatch("MESSAGE_DELETE", {id, channel_id: channel, ...inGuild(channel)})
  const write: People["write"] = message => {
    last = world.add({author: world.user("42"), ...message})
    tell("MESSAGE_CREATE", last)
    return last
  }
  const interactionOf: People["interactionOf"] = ({channel = "600", user = "42", ...interaction}) => {
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
  const interact: People["interact"] = interaction => {
    const made = interactionOf(interaction)
    sessions.dispatch("INTERACTION_CREATE", made)
    return String(made.id)
  }
  const shown: People["shown"] = only =>
    sent.filter(id => only === undefined || id === only).flatMap(id => world.messages.get(id) ?? [])
  /** In a direct channel, the only other person. */
  const personIn = (channel: string): string => (world.isGuildChannel(channel) ? "42" : channel)
  return {
    write,
    tell,
    tellDeleted,
    shown,
    say: (...messages) => {
      for (const {text, user = "42", chat = user} of messages)
        write({channel: chat, content: text, author: world.user(user)})
    },
    repeat: () => last && tell("MESSAGE_CREATE", last),
    edit: (id, content) => {
      const changed = world.change(id, {content, editedAt: new Date().toISOString()})
      if (changed !== undefined) tell("MESSAGE_UPDATE", changed)
    },
    remove: id => {
      const found = world.messages.get(id)
      world.messages.delete(id)
      if (found !== undefined) tellDeleted(found)
    },
    react: (id, emoji, isAdded = true) => {
      const channel = world.messages.get(id)?.channel ?? "600"
      const user = {
        user_id: "42",
        ...(isAdded && world.isGuildChannel(channel) ? {member: {user: publicUser(world.user("42"))}} : {}),
      }
      const event = {message_id: id, channel_id: channel, emoji: {id: null, name: emoji}, ...user, ...inGuild(channel)}
      sessions.dispatch(isAdded ? "MESSAGE_REACTION_ADD" : "MESSAGE_REACTION_REMOVE", event)
    },
    dispatch: (name, data) => sessions.dispatch(name, data),
    interactionOf,
    interact,
    press: (label, {user, message: only} = {}) => {
      const {message, button} = findButton(label, shown(only), ({components}) => buttonsIn(components))
      const by = {channel: message.channel, user: user ?? personIn(message.channel)}
      interact({type: 3, ...by, data: button.data, message: world.tell(message, origin())})
    },
    vote: (id, labels, user) => {
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
