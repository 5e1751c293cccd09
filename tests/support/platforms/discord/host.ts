import {type HostOptions, pluginWith, startHost, type TestHost, until} from "../../host/host.ts"
import {cardCommand} from "../../messages/card-command.ts"
import {type InboxItem, inboxOf} from "../../messages/inbox.ts"
import {type EndpointView, untilState} from "../endpoint.ts"
import type {FakeDiscord} from "../fakes.ts"

const bot = pluginWith(`
    plugin.command("greet <name:string>", {description: "Say hello"}, ({args}) => "hello " + args.name)
    ${cardCommand}
    const png = h("img", {src: Uint8Array.from([137, 80, 78, 71]), title: "ä b.png", type: "image/png"})
    plugin.command("pictured", () => [h("card", {title: "Seen"}, png), h("card", "more")])
    plugin.command("cards", async ({session}) => {
      const cards = Array.from({length: 12}, (_, n) => h("card", {title: "card " + n}))
      await session.edit(await session.send("draft"), cards)
      return cards
    })
    plugin.command("repeat <text:text>", {description: "Say it again"}, ({args}) => args.text)
    plugin.command("quote", async ({session}) => void (await session.reply("what you said")))
    plugin.command("marks", () => [h("b", "bold"), " ", h("at", {id: "43"}), " ", h("a", {href: "https://example.com/"}, "link")])
    const paint = plugin.action("paint", ({data, session}) => (session.user.nick ?? session.user.name) + " takes " + data)
    plugin.command("paint", () => ["Which?", paint.button("red", "Red", {style: "danger"}), paint.button("blue", "Blue")])
    plugin.command("menu", () => ["Which?", paint.select([{label: "Red", data: "red"}, {label: "Blue", data: "blue"}])])
    const join = plugin.form(
      "join",
      {fields: Type.Object({name: Type.String({title: "Your name?"}), news: Type.Optional(Type.Boolean({title: "News?"}))})},
      ({values}) => "welcome " + values.name + (values.news === true ? " with news" : ""),
    )
    plugin.command("join", async ({session}) => void (await session.form(join, "Join us.")))
    plugin.command("draft", async ({session}) => void (await session.edit(await session.sendNow("draft"), "final")))
    plugin.command("wipe", async ({session}) => void (await session.delete(await session.sendNow("gone"))))
    plugin.command("like", async ({session}) => void (await session.react("👍")))
`).replace("definePlugin, Type", "definePlugin, h, Type")

export interface DiscordHostOptions extends Omit<HostOptions, "config" | "plugins"> {
  readonly accounts?: readonly Readonly<Record<string, unknown>>[]
  readonly http?: Readonly<Record<string, unknown>>
}

export const tokens = {DISCORD_TOKEN: "bot-999.right", OTHER_TOKEN: "bot-998.right", WRONG_TOKEN: "wrong.token"}

/** A Host with the bot and these accounts at the fake; by default one account, `one`. */
export const startDiscordHost = (
  fake: FakeDiscord,
  {accounts = [{id: "one"}], http = {}, env = {}, ...options}: DiscordHostOptions = {},
): Promise<TestHost> =>
  startHost({
    ...options,
    env: {...tokens, ...env},
    config: JSON.stringify({
      http: {port: 0, ...http},
      plugins: {
        bot: {},
        discord: {endpoints: accounts.map(each => ({token: "${DISCORD_TOKEN}", api: fake.url, ...each}))},
      },
    }),
    plugins: {bot},
  })

/** The first matching event of the inbox, once it exists. */
export const untilEvent = (host: TestHost, what: string, is: (item: InboxItem) => boolean): Promise<InboxItem> =>
  until(what, async () => (await inboxOf(host)).find(is))

export const untilDiscord = (host: TestHost, state: string, name = "discord~one"): Promise<EndpointView> =>
  untilState(host, name, state)

/** The bot's messages in a channel, once there are `count`. */
export const untilSaid = (fake: FakeDiscord, channel: string, count: number): Promise<readonly string[]> =>
  until(`${count} messages of the bot in ${channel}`, () => {
    const texts = saidIn(fake, channel)
    return texts.length >= count && texts
  })

export const saidIn = (fake: FakeDiscord, channel: string): readonly string[] =>
  fake.world
    .in(channel)
    .filter(({author}) => author.bot === true)
    .map(({content}) => content)
