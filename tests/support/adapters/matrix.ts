import type {AdapterUnderTest, Heard} from "../../../server/testing/adapter/conformance.ts"
import type {Homeserver} from "../platforms/matrix/dendrite.ts"
import {openGate} from "../platforms/matrix/gate.ts"
import {type MatrixEvent, Person} from "../platforms/matrix/person.ts"

/** The built-in adapter `matrix` at a real homeserver, behind `gate`. */
export const matrix = async (homeserver: Homeserver): Promise<AdapterUnderTest> => {
  const bot = await Person.register(homeserver, "bot")
  return {
    use: "matrix",
    name: "matrix",
    env: {MATRIX_TOKEN: bot.token, WRONG_TOKEN: "a-token-that-nobody-gave"},
    platform: async defer => {
      const gate = await openGate(homeserver.url, defer)
      const ann = await Person.register(homeserver, "ann")
      const bob = await Person.register(homeserver, "bob")
      const power = {power_level_content_override: {users: {[ann.id]: 100, [bot.id]: 50}}}
      const room = await ann.createRoom({preset: "public_chat", ...power})
      await bot.join(room)
      await bob.join(room)
      const account = {id: "one", homeserver: gate.url, accessToken: "${MATRIX_TOKEN}"}
      let timesTyping = 0
      return {
        account,
        refused: {...account, accessToken: "${WRONG_TOKEN}"},
        hostile: ({port, isSecure}) => ({
          account: {...account, homeserver: `${isSecure ? "https" : "http"}://127.0.0.1:${port}`},
        }),
        channel: room,
        user: bob.id,
        calls: {
          "guild.member.kick": {guild_id: room, user_id: bob.id},
          "guild.member.get": {guild_id: room, user_id: ann.id},
          "guild.member.list": {guild_id: room},
          "user.get": {user_id: ann.id},
        },
        say: text => ann.sayInHistory(room, text),
        sayFile: async ({name, type, bytes}) => {
          const url = await ann.upload(name, type, bytes)
          const info = {mimetype: type, size: bytes.byteLength}
          await ann.send(room, {msgtype: "m.file", body: name, filename: name, url, info})
        },
        repeat: async () => gate.repeat(),
        heard: async () => {
          await ann.settle(room)
          return heardOf(await ann.events(room), bot.id, ann)
        },
        cut: () => gate.cut(),
        connections: () => gate.waiting,
        slowDown: milliseconds =>
          gate.answerNext(
            /^PUT .*\/send\//,
            429,
            JSON.stringify({errcode: "M_LIMIT_EXCEEDED", error: "Too many requests", retry_after_ms: milliseconds}),
          ),
        typing: async () => {
          const answer = await ann.sync()
          const ephemeral: readonly MatrixEvent[] = answer.rooms?.join?.[room]?.ephemeral?.events ?? []
          if (ephemeral.some(({type, content}) => type === "m.typing" && content.user_ids.includes(bot.id)))
            timesTyping++
          return timesTyping
        },
      }
    },
  }
}

/** The bot's messages as a client shows them: edited in place, without deleted ones. */
const heardOf = (events: readonly MatrixEvent[], bot: string, ann: Person): Promise<readonly Heard[]> => {
  const own = events.filter(({sender, unsigned}) => sender === bot && unsigned?.redacted_because === undefined)
  const relationOf = ({content}: MatrixEvent) => content["m.relates_to"] ?? {}
  const messages = own.filter(each => each.type === "m.room.message" && relationOf(each).rel_type !== "m.replace")
  const about = (event: MatrixEvent, type: string) =>
    own.filter(each => relationOf(each).rel_type === type && relationOf(each).event_id === event.event_id)
  return Promise.all(
    messages.map(async event => {
      const content = about(event, "m.replace").at(-1)?.content["m.new_content"] ?? event.content
      const isFile = content.url !== undefined
      return {
        text: isFile && content.body === content.filename ? "" : content.body,
        at: event.origin_server_ts,
        reactions: about(event, "m.annotation").map(each => relationOf(each).key),
        files: isFile ? [{name: content.filename, bytes: await ann.download(content.url)}] : [],
      }
    }),
  )
}
