import {type EndpointView, endpointOf, type HostOptions, startHost, type TestHost, untilState} from "../host/host.ts"
import {cardCommand} from "../messages/card-command.ts"
import {pluginWith} from "../plugins/plugin-sources.ts"
import {type IrcServerName, joinIrc, startIrcServer} from "./servers.ts"

export interface IrcAccount {
  readonly id: string
  readonly port: number
  readonly [key: string]: unknown
}

/** A configuration with these accounts, as JSON, which is also YAML. */
export const ircConfig = (
  accounts: readonly IrcAccount[],
  http: Readonly<Record<string, unknown>> = {},
  outbox: object = {},
): string =>
  JSON.stringify({
    http: {port: 0, ...http},
    outbox,
    plugins: {bot: {}, irc: {endpoints: accounts.map(account => ({server: "127.0.0.1", tls: false, ...account}))}},
  })

const bot = pluginWith(`
    const counted: number[] = []
    plugin.command("greet <name:string>", {description: "Say hello"}, ({args}) => "hello " + args.name)
    ${cardCommand}
    const paint = plugin.action("paint", {once: true}, ({data, session}) => session.user.name + " takes " + data)
    plugin.command("paint", () => ["Which?", paint.button("red", "Red"), paint.button("blue", "Blue")])
    plugin.command("lines <n:integer>", ({args}) => Array.from({length: args.n}, (_, i) => "line " + (i + 1)).join("\\n"))
    plugin.command("long <n:integer>", ({args}) => Array.from({length: args.n}, (_, i) => "wörd" + (i + 1)).join(" "))
    plugin.command("unbroken <n:integer>", ({args}) => "é".repeat(args.n))
    plugin.command("inject", () => "one\\r\\nJOIN #elsewhere\\nQUIT :gone\\rNICK other\\0\\r\\n")
    plugin.command("whisper <name:string> <text:string>", async ({args, session}) => {
      await session.send({endpoint: session.endpoint, channel: args.name}, args.text)
    })
    plugin.command("counted", () => {
      const inOrder = counted.every((n, i) => n === i + 1)
      return counted.length + (inOrder ? " in order" : " out of order")
    })
    plugin.on("message-created", session => {
      const [, n] = /^count (\\d+)$/.exec(session.text) ?? []
      if (n !== undefined) counted.push(Number(n))
    })`)

type IrcHostOptions = Omit<HostOptions, "config" | "plugins"> & {
  http?: Readonly<Record<string, unknown>>
  outbox?: object
}

export const startIrcHost = (accounts: readonly IrcAccount[], options: IrcHostOptions = {}): Promise<TestHost> =>
  startHost({...options, config: ircConfig(accounts, options.http, options.outbox), plugins: {bot}})

export const ircEndpoint = (host: TestHost, id: string): Promise<EndpointView> => endpointOf(host, `irc~${id}`)

export const untilEndpoint = (host: TestHost, id: string, state: string, patience?: number): Promise<EndpointView> =>
  untilState(host, `irc~${id}`, state, patience)

/** The bot in most tests, and its channel. */
export const lounge = {nick: "svcbot", channels: ["#lounge"]}

/** A server with a person and the bot, `irc~main`, in #lounge. */
export const meetInLounge = async (
  name: IrcServerName,
  {penalties = false, ...options}: IrcHostOptions & {penalties?: boolean} = {},
) => {
  const server = await startIrcServer(name, {penalties})
  const person = await joinIrc(server, "alice", {channel: "#lounge"})
  const host = await startIrcHost([{id: "main", port: server.port, ...lounge}], options)
  await person.sees(/^:svcbot!\S+ JOIN :?#lounge/)
  return {server, person, host}
}
