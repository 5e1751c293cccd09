import type {FakeFile, FakeMessage, FakeUser, World} from "./world.ts"
import {guild, publicUser} from "./world.ts"

/** The longest text of a message, in characters. */
const longest = 2000

export interface FakeRequest {
  readonly method: string
  /** The path after `/api/v10`. */
  readonly path: string
  readonly query: URLSearchParams
  readonly body: Readonly<Record<string, unknown>>
  readonly files: readonly FakeFile[]
  /** The bot of the request's token. */
  readonly bot: FakeUser
}

export interface FakeAnswer {
  readonly status: number
  readonly body?: unknown
}

export interface RoutesOptions {
  readonly world: World
  /** The address of files. */
  readonly origin: () => string
  /** Whether this send is refused with 429. */
  refuses(): boolean
  /** A message of the bot was created or changed. */
  made(message: FakeMessage): void
  gone(message: FakeMessage): void
  /** An interaction was answered. */
  called(id: string, body: unknown): FakeAnswer
  wrote(channel: string): void
}

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

const ok = (body?: unknown): FakeAnswer => (body === undefined ? {status: 204} : {status: 200, body})
const failed = (status: number, code: number, message: string): FakeAnswer => ({status, body: {code, message}})
const unknownMessage = failed(404, 10008, "Unknown Message")

/** The HTTP API of the fake: one function for each route. */
export const createRoutes = ({world, origin, refuses, made, gone, called, wrote}: RoutesOptions) => {
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
  const wrongForm = ({content = "", components = [], embeds = []}: FakeRequest["body"], files: readonly unknown[]) => {
    const parts = [files, components, embeds] as readonly (readonly unknown[])[]
    if (content === "" && parts.every(({length}) => length === 0))
      return failed(400, 50006, "Cannot send an empty message")
    if (!(embeds as readonly FakeEmbed[]).every(isEmbed)) return failed(400, 50035, "Invalid Form Body: embeds")
    if (String(content).length <= longest) return undefined
    return failed(400, 50035, "Invalid Form Body: Must be 2000 or fewer in length.")
  }
  const create = (channel: string, {body, files, bot}: FakeRequest): FakeAnswer => {
    const wrong = wrongForm(body, files)
    if (wrong !== undefined) return wrong
    if (refuses()) return {status: 429, body: {message: "You are being rate limited.", retry_after: 1, global: false}}
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
      ...(typeof nonce === "string" ? {nonce} : {}),
      ...(message_id !== undefined && world.messages.has(message_id) ? {reference: message_id} : {}),
    })
    made(message)
    return ok(tell(message))
  }
  const edit = (id: string, {body, files, bot}: FakeRequest): FakeAnswer => {
    const found = world.messages.get(id)
    if (found === undefined) return unknownMessage
    if (found.author.id !== bot.id) return failed(403, 50005, "Cannot edit a message authored by another user")
    const wrong = wrongForm(body, [...files, ...found.files])
    if (wrong !== undefined) return wrong
    const changed = world.change(id, {
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
  const react = (id: string, emoji: string, bot: FakeUser, isAdded: boolean): FakeAnswer => {
    const found = world.messages.get(id)
    if (found === undefined) return unknownMessage
    const others = found.reactions.filter(each => each.emoji !== emoji || each.user !== bot.id)
    world.change(id, {reactions: isAdded ? [...others, {emoji, user: bot.id}] : others})
    return ok()
  }
  const change = (user: string, {body}: FakeRequest): FakeAnswer => {
    const member = world.members.get(user)
    if (member === undefined) return failed(404, 10007, "Unknown Member")
    const {communication_disabled_until: until} = body
    if (until !== undefined) member.until = until as string | null
    return ok(memberOf(user))
  }

  type Route = readonly [
    method: string,
    path: RegExp,
    answer: (parts: readonly string[], request: FakeRequest) => FakeAnswer,
  ]
  const routes: readonly Route[] = [
    ["GET", /^\/users\/@me$/, (_, {bot}) => ok(publicUser(bot))],
    [
      "GET",
      /^\/users\/@me\/guilds$/,
      () => ok([{id: guild.id, name: guild.name, owner: false, permissions: world.permissions}]),
    ],
    ["POST", /^\/users\/@me\/channels$/, (_, {body}) => ok(channelOf(String(body.recipient_id ?? "42")))],
    ["GET", /^\/applications\/@me$/, (_, {bot}) => ok({id: bot.id, ...world.application})],
    [
      "PUT",
      /^\/applications\/(\d+)\/commands$/,
      ([id = ""], {body}) => {
        world.commands.set(id, body as unknown as readonly {name: string}[])
        return ok(body)
      },
    ],
    ["GET", /^\/channels\/(\d+)$/, ([id = ""]) => ok(channelOf(id))],
    [
      "POST",
      /^\/channels\/(\d+)\/typing$/,
      ([id = ""]) => {
        wrote(id)
        return ok()
      },
    ],
    ["GET", /^\/channels\/(\d+)\/messages$/, ([id = ""], {query}) => list(id, query)],
    [
      "GET",
      /^\/channels\/\d+\/messages\/(\d+)$/,
      ([id = ""]) => {
        const found = world.messages.get(id)
        return found === undefined ? unknownMessage : ok(tell(found))
      },
    ],
    ["POST", /^\/channels\/(\d+)\/messages$/, ([id = ""], request) => create(id, request)],
    ["PATCH", /^\/channels\/\d+\/messages\/(\d+)$/, ([id = ""], request) => edit(id, request)],
    [
      "DELETE",
      /^\/channels\/\d+\/messages\/(\d+)$/,
      ([id = ""]) => {
        const found = world.messages.get(id)
        if (found === undefined) return unknownMessage
        world.messages.delete(id)
        gone(found)
        return ok()
      },
    ],
    [
      "PUT",
      /^\/channels\/\d+\/messages\/(\d+)\/reactions\/([^/]+)\/@me$/,
      ([id = "", emoji = ""], {bot}) => react(id, emoji, bot, true),
    ],
    [
      "DELETE",
      /^\/channels\/\d+\/messages\/(\d+)\/reactions\/([^/]+)\/@me$/,
      ([id = "", emoji = ""], {bot}) => react(id, emoji, bot, false),
    ],
    ["GET", /^\/guilds\/500\/members$/, () => ok([...world.members.keys()].map(memberOf))],
    ["GET", /^\/guilds\/500\/members\/(\d+)$/, ([id = ""]) => ok(memberOf(id))],
    ["PATCH", /^\/guilds\/500\/members\/(\d+)$/, ([id = ""], request) => change(id, request)],
    [
      "DELETE",
      /^\/guilds\/500\/members\/(\d+)$/,
      ([id = ""]) => (world.members.delete(id) ? ok() : failed(404, 10007, "Unknown Member")),
    ],
    [
      "PUT",
      /^\/guilds\/500\/bans\/(\d+)$/,
      ([id = ""]) => {
        world.banned.add(id)
        return ok()
      },
    ],
    ["GET", /^\/guilds\/500\/channels$/, () => ok(guild.channels)],
    ["GET", /^\/guilds\/500\/roles$/, () => ok([{id: "700", name: "helper", permissions: "0"}])],
    [
      "PUT",
      /^\/guilds\/500\/members\/(\d+)\/roles\/(\d+)$/,
      ([user = "", role = ""]) => {
        world.members.get(user)?.roles.add(role)
        return ok()
      },
    ],
    ["POST", /^\/interactions\/(\d+)\/[^/]+\/callback$/, ([id = ""], {body}) => called(id, body)],
    ["DELETE", /^\/webhooks\/\d+\/[^/]+\/messages\/@original$/, () => ok()],
    [
      "POST",
      /^\/attachments\/refresh-urls$/,
      (_, {body}) =>
        ok({
          refreshed_urls: (body.attachment_urls as readonly string[]).map(original => ({
            original,
            refreshed: original.split("?")[0],
          })),
        }),
    ],
  ]
  return (request: FakeRequest): FakeAnswer => {
    for (const [method, path, answer] of routes) {
      const found = request.method === method ? path.exec(request.path) : null
      if (found !== null) return answer(found.slice(1).map(decodeURIComponent), request)
    }
    return failed(404, 0, "404: Not Found")
  }
}
