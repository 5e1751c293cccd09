import {readdirSync, readFileSync} from "node:fs"
import {root, startHost, type TestHost, type TestRuntime, until} from "../../support/host/host.ts"
import {makeProject, type Project} from "../../support/host/project.ts"
import {untilDiscord} from "../../support/platforms/discord/host.ts"
import {type FakeDiscord, startDiscord} from "../../support/platforms/fakes.ts"
import type {Homeserver} from "../../support/platforms/matrix/dendrite.ts"
import {openGate} from "../../support/platforms/matrix/gate.ts"
import {untilEndpoint} from "../../support/platforms/matrix/host.ts"
import {type MatrixEvent, Person} from "../../support/platforms/matrix/person.ts"

export const club = "600"

/** The final state of a message in a room: its newest text and the id of the message that it quotes. */
export interface Shown {
  readonly id: string
  readonly text: string
  readonly quote?: string
}

/** The source files of the example's plugin, unchanged. */
const sources = (): Record<string, string> => {
  const folder = "plugins/bridge"
  const names = readdirSync(`${root}examples/bridge/${folder}`)
  return Object.fromEntries(
    names.map(name => [`${folder}/${name}`, readFileSync(`${root}examples/bridge/${folder}/${name}`, "utf8")]),
  )
}

/** A room on a real homeserver, a channel on the fake Discord, and people in both. */
export const meetPeople = async (homeserver: Homeserver) => {
  const gate = await openGate(homeserver.url)
  const names = ["bot", "other-bot", "ann", "bob"]
  const registered = await Promise.all(names.map(name => Person.register(homeserver, name)))
  const [bot, otherBot, ann, bob] = registered as [Person, Person, Person, Person]
  const room = await ann.createRoom({preset: "public_chat", name: "Lounge"})
  for (const person of [bot, otherBot, bob]) await person.join(room)
  const discord = await startDiscord()
  return {gate, discord, room, bot, otherBot, ann, bob}
}

export type People = Awaited<ReturnType<typeof meetPeople>>

/** A project with the bridge between the room and the channel, with one account on each side. */
export const bridgeProject = (
  {gate, discord, room}: People,
  {bot, discordBot}: {readonly bot: Person; readonly discordBot: string},
): {readonly project: Project; readonly env: Record<string, string>} => ({
  env: {MATRIX_TOKEN: bot.token, DISCORD_TOKEN: `bot-${discordBot}.right`},
  project: makeProject({
    files: sources(),
    config: `http: {port: 0}
plugins:
  matrix:
    endpoints:
      - {id: main, homeserver: "${gate.url}", accessToken: "\${MATRIX_TOKEN}", notices: true}
  discord:
    outbox: {onUnknown: retry}
    endpoints:
      - {id: one, token: "\${DISCORD_TOKEN}", api: "${discord.url}"}
  bridge:
    config:
      rooms:
        - - {endpoint: matrix~main, channel: "${room}"}
          - {endpoint: discord~one, channel: "${club}"}
`,
  }),
})

/** Starts the bridge. Waits until both of its endpoints are online. */
export const startBridge = async (
  options: {readonly project: Project; readonly env: Record<string, string>},
  runtime: TestRuntime,
  own = false,
): Promise<TestHost> => {
  const host = await startHost({...options, runtime, own})
  await untilEndpoint(host, "main", "online")
  await untilDiscord(host, "online")
  return host
}

export const shownAtDiscord = ({world}: FakeDiscord, bot = "999"): readonly Shown[] =>
  world
    .in(club)
    .filter(({author}) => author.id === bot)
    .map(({id, content, reference}) => ({id, text: content, ...(reference === undefined ? {} : {quote: reference})}))

/** A bot's messages in the room, in order. `content` is that of the first event, for messages other than text. */
export const shownAtMatrix = async (
  {ann, room}: People,
  bot: Person,
): Promise<readonly (Shown & {readonly content: MatrixEvent["content"]})[]> => {
  const events = (await ann.events(room, 5000)).filter(
    ({type, sender, content}) => type === "m.room.message" && sender === bot.id && content.msgtype !== undefined,
  )
  const isEdit = ({content}: MatrixEvent) => content["m.relates_to"]?.rel_type === "m.replace"
  const newest = new Map(
    events.filter(isEdit).map(({content}) => [content["m.relates_to"].event_id, content["m.new_content"]]),
  )
  return events
    .filter(event => !isEdit(event))
    .map(({event_id: id, content}) => {
      const quote = content["m.relates_to"]?.["m.in_reply_to"]?.event_id
      return {id, text: (newest.get(id) ?? content).body, content, ...(quote === undefined ? {} : {quote})}
    })
}

/** Waits for the copy in the room with a text that ends with `end`. */
export const copyAtMatrix = (people: People, end: string, bot = people.bot) =>
  until(`"${end}" in the room`, async () => (await shownAtMatrix(people, bot)).find(({text}) => text.endsWith(end)))

/** Waits for the copy in the channel with a text that ends with `end`. */
export const copyAtDiscord = (discord: FakeDiscord, end: string, bot = "999") =>
  until(`"${end}" in the channel`, () => shownAtDiscord(discord, bot).find(({text}) => text.endsWith(end)))

export const editAtMatrix = (person: Person, room: string, id: string, text: string): Promise<string> =>
  person.send(room, {
    msgtype: "m.text",
    body: `* ${text}`,
    "m.new_content": {msgtype: "m.text", body: text},
    "m.relates_to": {rel_type: "m.replace", event_id: id},
  })

/** Sends a message to a Matrix room that quotes another one. */
export const quoteAtMatrix = (person: Person, room: string, id: string, text: string): Promise<string> =>
  person.send(room, {msgtype: "m.text", body: text, "m.relates_to": {"m.in_reply_to": {event_id: id}}})
