import {startDendrite} from "../platforms/matrix/dendrite.ts"
import {openGate} from "../platforms/matrix/gate.ts"
import {type MatrixEvent, Person} from "../platforms/matrix/person.ts"
import {type KillPlatform, noting} from "./platform.ts"

const relationOf = ({content}: MatrixEvent) => content["m.relates_to"] ?? {}

/** Every event of a room, oldest first. */
const historyOf = async (person: Person, room: string): Promise<readonly MatrixEvent[]> => {
  await person.settle(room)
  const events: MatrixEvent[] = []
  for (let from = ""; ; ) {
    const route = `/client/v3/rooms/${encodeURIComponent(room)}/messages?dir=b&limit=100${from}`
    const {chunk, end} = await person.ask("GET", route)
    events.push(...chunk)
    if (chunk.length === 0 || end === undefined) break
    from = `&from=${encodeURIComponent(end)}`
  }
  return events.reverse()
}

/** Matrix, on a real Dendrite. */
export const matrixUnderKills = async (): Promise<KillPlatform> => {
  const homeserver = await startDendrite()
  const gate = await openGate(homeserver.url)
  const [bot, ann] = await Promise.all([Person.register(homeserver, "bot"), Person.register(homeserver, "ann")])
  const power = {power_level_content_override: {users: {[ann.id]: 100, [bot.id]: 50}}}
  const room = await ann.createRoom({preset: "public_chat", ...power})
  await bot.join(room)
  const texts = new Map<string, string>()
  const syncs = () => gate.asked.filter(({path}) => path.endsWith("/sync")).length
  let before = 0
  const ofBot = async () => {
    const events = await historyOf(ann, room)
    return events.filter(({sender, unsigned}) => sender === bot.id && unsigned?.redacted_because === undefined)
  }
  return {
    name: "matrix",
    account: {homeserver: gate.url, accessToken: "${MATRIX_TOKEN}"},
    env: {MATRIX_TOKEN: bot.token},
    replays: true,
    hasHistory: false,
    dropsRepeats: true,
    tellsRepeats: true,
    takesActs: true,
    ...noting(async text => void texts.set(await ann.say(room, text), text)),
    launching: () => {
      gate.cut()
      before = syncs()
    },
    isConnected: () => gate.waiting > 0,
    isConnecting: () => gate.waiting > 0 && syncs() === before,
    shown: async () => {
      const own = await ofBot()
      const edits = new Map(
        own
          .filter(event => relationOf(event).rel_type === "m.replace")
          .map(event => [relationOf(event).event_id, event.content["m.new_content"].body]),
      )
      return own
        .filter(event => event.type === "m.room.message" && relationOf(event).rel_type !== "m.replace")
        .map(event => {
          const quotes = texts.get(relationOf(event)["m.in_reply_to"]?.event_id)
          const text = edits.get(event.event_id) ?? event.content.body
          const id = event.event_id
          return quotes === undefined ? {id, text} : {id, text, quotes}
        })
    },
    dropped: () => {
      const sends = gate.asked.filter(({method, path}) => method === "PUT" && /\/(send|redact)\//.test(path))
      return sends.length - new Set(sends.map(({path}) => path)).size
    },
    liked: async () =>
      (await ofBot())
        .filter(({type}) => type === "m.reaction")
        .map(event => texts.get(relationOf(event).event_id) ?? "nothing"),
  }
}
