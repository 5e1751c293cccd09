import {randomUUID} from "node:crypto"
import {definePlugin, type Endpoint, Problem, renderContent, Type} from "../../../shared/sdk/sdk.ts"
import {directChannel, features, senderOf} from "./acts.ts"
import {answerWith} from "./files.ts"
import {Guild} from "./guild.ts"
import {routePresses} from "./press.ts"
import {Room} from "./room.ts"
import {placeOf, sayerFields} from "./sayers.ts"
import {streamOf} from "./stream.ts"
import {NewFile, Uploads} from "./uploads.ts"

const NewMessage = Type.Object(
  {
    text: Type.Optional(Type.String({maxLength: 100_000, default: "", description: "Required without files"})),
    files: Type.Optional(Type.Array(NewFile, {maxItems: 20, description: "Sent with the text"})),
    quote: Type.Optional(Type.String({minLength: 1, description: "The id of the message that it answers"})),
    ...sayerFields,
  },
  {title: "NewMessage", additionalProperties: false},
)

const ChannelQuery = Type.Object({channel: Type.Optional(Type.String({default: "chat"}))})

const ChangesQuery = Type.Object({
  after: Type.Optional(
    Type.Integer({minimum: 0, default: 0, description: "The number of the last change that you have"}),
  ),
})

const FileQuery = Type.Object({
  channel: Type.Optional(Type.String({default: "chat"})),
  message: Type.Optional(Type.String({default: "", description: "The id of the message"})),
  number: Type.Optional(Type.Integer({minimum: 0, default: 0, description: "The number of the file, from 0"})),
})

const Stored = Type.Object({sn: Type.Integer(), id: Type.String(), duplicate: Type.Boolean()}, {title: "StoredMessage"})

const Commands = Type.Object({items: Type.Array(Type.Object({name: Type.String(), description: Type.String()}))})

/** A platform inside the Host: talk to the bot with `svc chat`, from a test or from the console. */
export default definePlugin({
  description: "A platform inside the Host, for trying the bot",
  setup(plugin) {
    const room = new Room(plugin.now)
    const guild = new Guild(plugin.now)
    const uploads = new Uploads()
    let endpoint: Endpoint | undefined
    plugin.adapter("sandbox", {
      history: "inside",
      roles: "unique",
      features,
      open: async (_, opened) => {
        endpoint = opened
        opened.defer(() => {
          endpoint = undefined
        })
        opened.login({platform: "sandbox", user: {id: "bot", name: "bot", is_bot: true}, status: 1})
        return senderOf(room, guild, uploads, opened)
      },
    })
    plugin.route({
      method: "POST",
      path: "/messages",
      scope: "full",
      summary: "Send a message to the bot; the message is durable when this returns",
      body: NewMessage,
      response: Stored,
      status: 202,
      handle: async (_, call) => {
        const {text = "", files = [], channel = "chat", user = "you", id = randomUUID(), group} = call.body
        const {account, roles, locale, quote} = call.body
        // As on other platforms, a muted user can still write to the bot directly, for example to appeal.
        const why = channel === directChannel(user) ? undefined : guild.whySilent(user, channel)
        if (why !== undefined) throw new Problem("conflict", why)
        if (endpoint === undefined) throw new Problem("admission_closed", "the sandbox endpoint is not open")
        if (text === "" && files.length === 0)
          throw new Problem("request_invalid", "text: required for a message without files")
        const elements = [...(text === "" ? [] : [text]), ...uploads.add(files)]
        if (group === true) guild.enter(user, channel)
        const receipt = await endpoint.receive({
          id,
          type: "message-created",
          ...placeOf({channel, user, account, roles, locale, group}),
          message: {
            id,
            content: renderContent([...(quote === undefined ? [] : [room.quote(channel, quote)]), ...elements]),
          },
        })
        if (!receipt.duplicate) room.say(channel, id, elements, [], user)
        return call.json(Stored, {...receipt, id}, {status: 202})
      },
    })
    routePresses(plugin, room, () => endpoint)
    plugin.route({
      method: "GET",
      path: "/messages",
      scope: "full",
      summary: "The messages of a channel, oldest first",
      query: ChannelQuery,
      response: Type.Object({items: Type.Array(Type.Unknown())}),
      handle: (_, call) =>
        call.json(Type.Object({items: Type.Unknown()}), {items: room.messages(String(call.query.channel))}),
    })
    plugin.route({
      method: "GET",
      path: "/changes",
      scope: "full",
      summary: "The changes in all channels, oldest first: messages, edits, deletions, reactions, typing",
      query: ChangesQuery,
      response: Type.Object({items: Type.Array(Type.Unknown())}),
      handle: (_, call) =>
        call.json(Type.Object({items: Type.Unknown()}), {items: room.changes(Number(call.query.after))}),
    })
    plugin.route({
      method: "GET",
      path: "/files",
      scope: "full",
      summary: "The bytes of a file in a message of the bot",
      query: FileQuery,
      stream: true,
      handle: (_, {query}) => {
        const {channel, message, number} = query
        const found = room.messages(String(channel)).find(({id}) => id === message)?.files[Number(number)]
        if (found === undefined) throw new Problem("not_found", `${message} in ${channel} has no file ${number}`)
        return answerWith(found)
      },
    })
    plugin.route({
      method: "GET",
      path: "/commands",
      scope: "full",
      summary: "The bot's commands, as a platform lists them for its users",
      response: Commands,
      handle: (_, call) => call.json(Commands, {items: room.commands}),
    })
    plugin.route({
      method: "GET",
      path: "/stream",
      scope: "full",
      summary: "The changes in a channel, live: messages, edits, deletions, reactions (server-sent events)",
      query: ChannelQuery,
      stream: true,
      handle: request => {
        const channel = new URL(request.url).searchParams.get("channel") ?? "chat"
        return streamOf(listener => room.listen(channel, listener), [request.signal, plugin.signal])
      },
    })
  },
})
