import {type FakeSlack, signingSecret} from "../../../../server/testing/platforms/slack/slack.ts"
import {tokens} from "../../../../server/testing/platforms/slack/world.ts"
import {type EndpointView, eventsOf, type HostOptions, startHost, type TestHost, untilState} from "../../host/host.ts"
import {cardCommand} from "../../messages/card-command.ts"
import {pluginWith} from "../../plugins/plugin-sources.ts"

export const environment = {
  SLACK_BOT: tokens.bot,
  SLACK_SECOND: tokens.second,
  SLACK_APP: tokens.app,
  SLACK_WRONG: "xoxb-a-wrong-token",
  SLACK_SECRET: signingSecret,
} as const

/** An account in Socket Mode, or with other keys. */
export const accountOf = (slack: FakeSlack, more: Readonly<Record<string, unknown>> = {}) => ({
  id: "team",
  botToken: "${SLACK_BOT}",
  appToken: "${SLACK_APP}",
  api: `${slack.url}/api/`,
  ...more,
})

/** The source of the bot for the tests; it reports what it receives. */
const bot = pluginWith(`
    const tell = session => {
      const {type, message, channel, user} = session.event
      return [type, channel?.id, user?.name ?? user?.id, message?.id, session.text].join(" ")
    }
    plugin.command("greet <name:string>", {description: "Say hello"}, ({args}) => "hello " + args.name)
    ${cardCommand}
    plugin.command("unseen", () => h("card", {title: "Unseen"}, h("img", {src: "https://a.example/missing.png"})))
    const paint = plugin.action("paint", ({data, session}) => session.user.name + " takes " + data)
    plugin.command("paint", () => ["Which?", paint.button("red", "Red"), paint.button("blue", "Blue")])
    const order = plugin.form("order", {fields: Type.Object({name: Type.String(), size: Type.Integer()})}, ({values}) => values.name + " has " + values.size)
    plugin.command("order", session => session.session.form(order, "Your order:"))
    plugin.command("thread", async ({session}) => { await session.reply("in the thread") })
    plugin.command("mark", async ({session}) => { await session.react("👀") })
    plugin.command("file", () => ["Here:", h("file", {src: new TextEncoder().encode("abc"), title: "a.txt", type: "text/plain"})])
    plugin.command("mention", ({session}) => ["to ", h("at", {id: session.user.id}), " not <!channel> *x*"])
    plugin.on("message-updated", tell)
    plugin.on("message-deleted", tell)
    plugin.on("reaction-added", tell)
    plugin.on("reaction-removed", tell)
    plugin.on("guild-member-added", tell)
    plugin.on("message-created", session => {
      if (session.text.startsWith("count ")) return "counted " + session.text.slice(6)
    })`)

export const startSlackHost = (
  accounts: readonly object[],
  options: Omit<HostOptions, "config" | "plugins"> = {},
): Promise<TestHost> =>
  startHost({
    ...options,
    env: {...environment, ...options.env},
    config: JSON.stringify({http: {port: 0}, plugins: {bot: {}, slack: {endpoints: accounts}}}),
    plugins: {bot},
  })

export const untilSlack = (host: TestHost, state: string, id = "team"): Promise<EndpointView> =>
  untilState(host, `slack~${id}`, state)

export const textsOf = async (host: TestHost): Promise<readonly string[]> =>
  (await eventsOf(host)).map(({message}) => message?.content ?? "")
