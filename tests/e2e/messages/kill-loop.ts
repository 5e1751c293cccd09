import {openRoute} from "../../support/messages/open-work.ts"
import {pluginWith} from "../../support/plugins/plugin-sources.ts"
import {secretOf} from "../../support/webhooks/webhooks.ts"

export const killSecret = secretOf("kill loop")

export const lounge = {nick: "svcbot", channel: "#lounge"} as const

/**
 * Answers each message twice: at its origin, and in the sandbox. The origin is a partner whose platform drops
 * repetitions, or a channel on IRC. IRC and the sandbox do not drop them. Its routes return the amount of open work and
 * the newest lines from IRC.
 */
export const twofoldPlugin = pluginWith(`
    plugin.on("message-created", async session => {
      await session.send("to " + session.text)
      await session.send({endpoint: "sandbox", channel: "log"}, "log " + session.text)
    })
    ${openRoute}
    plugin.route({
      method: "GET", path: "/lines", scope: "full", summary: "The newest lines from IRC",
      handle: async (_, call) => {
        const rows = await plugin.database.read(
          "SELECT json_extract(event, '$.message.content') AS text FROM inbox WHERE endpoint = 'irc~main'"
            + " ORDER BY seq DESC LIMIT 1000")
        return call.json(Type.Array(Type.String()), rows.map(row => String(row.text)))
      },
    })`)

export const killConfig = (receiver: string, irc: {readonly port: number}): string => `log_level: warn
http: {port: 0, token: "\${HTTP_TOKEN}"}
plugins:
  sandbox: {}
  twofold: {}
  webhook:
    endpoints:
      - id: shop
        url: ${receiver}
        secrets:
          - \${KILL_SECRET}
  irc:
    endpoints:
      - id: main
        server: 127.0.0.1
        port: ${irc.port}
        tls: false
        nick: ${lounge.nick}
        channels: ["${lounge.channel}"]
`
