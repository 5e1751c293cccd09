import type {FakeAnswer} from "../fake/platform.ts"
import {makePoll, votersOf} from "../fake/shown.ts"
import type {FakeFile, FakeMessage, FakeUser, World} from "./world.ts"
import {guild, publicUser} from "./world.ts"

/** The longest text of a message, in characters. */
const longest = 2000

export interface FakeRequest {
  readonly query: URLSearchParams
  readonly body: Readonly<Record<string, unknown>>
  readonly files: readonly FakeFile[]
  /** The bot of the request's token. */
  readonly bot: FakeUser
}

export interface RoutesOptions {
  readonly world: World
  readonly origin: () => string
  /** A message of the bot was created or changed. */
  made(message: FakeMessage): void
  gone(message: FakeMessage): void
}

/** Answers a request; `parts` are those of the path that the route leaves open. */
export type Route = (parts: readonly string[], request: FakeRequest) => FakeAnswer

interface FakeEmbed {
  readonly title?: string
  readonly description?: string
  readonly fields?: readonly {readonly name: string; readonly value: string}[]
}

const isEmbed = ({title = "", description = "", fields = []}: FakeEmbed): boolean =>
  title.length <= 256 &&
  description.length <= 4096 &&
  fields.length <= 25 &&
  fields.every(({name, value}) => /^.{1,256}$/s.test(name) && /^.{1,1024}$/s.test(value))

interface FakePoll {
  readonly question: {readonly text?: string}
  readonly answers: readonly {readonly poll_media: {readonly text?: string}}[]
  readonly allow_multiselect?: boolean
}

const pollOf = ({question, answers, allow_multiselect}: FakePoll) =>
  makePoll(
    question.text,
    answers.map(({poll_media}) => poll_media.text),
    allow_multiselect,
  )

const ok = (body?: unknown): FakeAnswer => (body === undefined ? {status: 204} : {status: 200, body})
const failed = (status: number, code: number, message: string): FakeAnswer => ({status, body: {code, message}})
const unknownMessage = failed(404, 10008, "Unknown Message")

/** The HTTP API of the fake: one function for each route. The first that fits answers. */
export const createRoutes = ({world, origin, made, gone}: RoutesOptions): Readonly<Record<string, Route>> => {
  const tell = (message: FakeMessage) => world.tell(message, origin())
  const channelOf = (id: string) => {
    const found = guild.channels.find(channel => channel.id === id)
    if (found !== undefined) return {...found, guild_id: guild.id}
    return {id, type: 1, recipients: [publicUser(world.user(id))]}
  }
  const memberOf = (id: string) => {
    const {until, roles} = world.members.get(id) ?? {until: null, roles: new Set<string>()}
    return {
      user: publicUser(world.user(id)),
      roles: [...roles],
      joined_at: "2024-01-01T00:00:00Z",
      communication_disabled_until: until,
    }
  }
  const pinned = (channel: string) =>
    world.pins
      .of(channel)
      .toReversed()
      .flatMap(id => {
        const message = world.messages.get(id)
        return message === undefined ? [] : [{message: tell(message)}]
      })
  const wrongForm = (
    {content = "", components = [], embeds = [], poll}: FakeRequest["body"],
    files: readonly unknown[],
  ) => {
    const parts = [files, components, embeds] as readonly (readonly unknown[])[]
    if (content === "" && poll === undefined && parts.every(({length}) => length === 0))
      return failed(400, 50006, "Cannot send an empty message")
    if (!(embeds as readonly FakeEmbed[]).every(isEmbed)) return failed(400, 50035, "Invalid Form Body: embeds")
    if (String(content).length <= longest) return undefined
    return failed(400, 50035, "Invalid Form Body: Must be 2000 or fewer in length.")
  }
  const create = (channel: string, {body, files, bot}: FakeRequest): FakeAnswer => {
    const wrong = wrongForm(body, files)
    if (wrong !== undefined) return wrong
    const {nonce, enforce_nonce, message_reference} = body
    const before = world.in(channel).find(each => enforce_nonce === true && each.nonce === nonce)
    if (before !== undefined) return ok(tell(before))
    const {message_id} = (message_reference ?? {}) as {message_id?: string}
    const message = world.add({
      channel,
      author: bot,
      content: String(body.content ?? ""),
      files,
      body,
      components: (body.components ?? []) as readonly unknown[],
      ...(body.poll === undefined ? {} : {poll: pollOf(body.poll as FakePoll)}),
      ...(typeof nonce === "string" ? {nonce} : {}),
      ...(message_id !== undefined && world.messages.has(message_id) ? {reference: message_id} : {}),
    })
    made(message)
    return ok(tell(message))
  }
  const edit = (found: FakeMessage, {body, files, bot}: FakeRequest): FakeAnswer => {
    if (found.author.id !== bot.id) return failed(403, 50005, "Cannot edit a message authored by another user")
    const wrong = wrongForm(body, [...files, ...found.files])
    if (wrong !== undefined) return wrong
    const changed = world.change(found.id, {
      content: String(body.content ?? found.content),
      edits: found.edits + 1,
      editedAt: new Date().toISOString(),
      body,
      ...(Array.isArray(body.components) ? {components: body.components} : {}),
      ...(Array.isArray(body.attachments) ? {files} : {}),
    })
    return ok(tell(changed as FakeMessage))
  }
  const list = (channel: string, query: URLSearchParams): FakeAnswer => {
    const limit = Number(query.get("limit") ?? 50)
    const [after, before] = [BigInt(query.get("after") ?? 0), query.get("before")]
    const all = world
      .in(channel)
      .filter(({id}) => BigInt(id) > after && (before === null || BigInt(id) < BigInt(before)))
    return ok((query.has("after") ? all.slice(0, limit) : all.slice(-limit)).toReversed().map(tell))
  }
  const react = (isAdded: boolean): Route =>
    at(({id, reactions}, {bot}, [, , emoji = ""]) => {
      const others = reactions.filter(each => each.emoji !== emoji || each.user !== bot.id)
      world.change(id, {reactions: isAdded ? [...others, {emoji, user: bot.id}] : others})
      return ok()
    })
  const change = (user: string, {body}: FakeRequest): FakeAnswer => {
    const member = world.members.get(user)
    if (member === undefined) return failed(404, 10007, "Unknown Member")
    const {communication_disabled_until: until} = body
    if (until !== undefined) member.until = until as string | null
    return ok(memberOf(user))
  }

  /** Answers with what is done to a message of the channel. */
  const at =
    (act: (found: FakeMessage, request: FakeRequest, parts: readonly string[]) => FakeAnswer): Route =>
    (parts, request) => {
      const [channel, id = ""] = parts
      const found = world.messages.get(id)
      return found === undefined || found.channel !== channel ? unknownMessage : act(found, request, parts)
    }
  const done: Route = () => ok()
  return {
    "GET /users/@me": (_, {bot}) => ok(publicUser(bot)),
    "GET /users/@me/guilds": () => ok([{id: guild.id, name: guild.name, owner: false, permissions: world.permissions}]),
    "POST /users/@me/channels": (_, {body}) => ok(channelOf(String(body.recipient_id ?? "42"))),
    "GET /applications/@me": (_, {bot}) => ok({id: bot.id, ...world.application}),
    "PUT /applications/:application/commands": ([id = ""], {body}) => {
      world.commands.set(id, body as unknown as readonly {name: string}[])
      return ok(body)
    },
    "GET /channels/:channel": ([id = ""]) => ok(channelOf(id)),
    "POST /channels/:channel/typing": done,
    "POST /channels/:channel/invites": ([channel = ""]) =>
      ok({code: `fake${world.makeId()}`, channel: {id: channel}, guild: {id: guild.id, name: guild.name}}),
    "GET /channels/:channel/messages": ([id = ""], {query}) => list(id, query),
    "POST /channels/:channel/messages": ([id = ""], request) => create(id, request),
    "GET /channels/:channel/messages/pins": ([id = ""]) => ok({items: pinned(id), has_more: false}),
    "PUT /channels/:channel/messages/pins/:message": at(({channel, id}) => {
      world.pins.pin(channel, id)
      return ok()
    }),
    "DELETE /channels/:channel/messages/pins/:message": at(({channel, id}) => {
      world.pins.unpin(channel, id)
      return ok()
    }),
    "GET /channels/:channel/messages/:message": at(found => ok(tell(found))),
    "PATCH /channels/:channel/messages/:message": at(edit),
    "DELETE /channels/:channel/messages/:message": at(found => {
      world.messages.delete(found.id)
      gone(found)
      return ok()
    }),
    "PUT /channels/:channel/messages/:message/reactions/:emoji/@me": react(true),
    "DELETE /channels/:channel/messages/:message/reactions/:emoji/@me": react(false),
    "GET /channels/:channel/polls/:message/answers/:answer": at(({poll}, _, [, , answer]) =>
      ok({users: poll && votersOf(poll, Number(answer) - 1).map(user => publicUser(world.user(user)))}),
    ),
    "POST /channels/:channel/polls/:message/expire": at(found => {
      if (found.poll !== undefined) found.poll.isClosed = true
      return ok(tell(found))
    }),
    "GET /guilds/500/members": () => ok([...world.members.keys()].map(memberOf)),
    "GET /guilds/500/members/:user": ([id = ""]) => ok(memberOf(id)),
    "PATCH /guilds/500/members/:user": ([id = ""], request) => change(id, request),
    "DELETE /guilds/500/members/:user": ([id = ""]) =>
      world.members.delete(id) ? ok() : failed(404, 10007, "Unknown Member"),
    "PUT /guilds/500/bans/:user": done,
    "DELETE /guilds/500/bans/:user": done,
    "GET /guilds/500/channels": () => ok(guild.channels),
    "GET /guilds/500/roles": () => ok([{id: "700", name: "helper", permissions: "0"}]),
    "PUT /guilds/500/members/:user/roles/:role": ([user = "", role = ""]) => {
      world.members.get(user)?.roles.add(role)
      return ok()
    },
    "POST /interactions/:interaction/:token/callback": done,
    "DELETE /webhooks/:application/:token/messages/@original": done,
    "POST /attachments/refresh-urls": (_, {body}) =>
      ok({
        refreshed_urls: (body.attachment_urls as readonly string[]).map(original => ({
          original,
          refreshed: original.split("?")[0],
        })),
      }),
  }
}
