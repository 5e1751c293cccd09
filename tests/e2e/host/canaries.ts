import {existsSync, readdirSync, readFileSync, statSync} from "node:fs"
import {join} from "node:path"
import type {Project} from "../../support/host/project.ts"
import {tracesOf} from "../../support/logs/encodings.ts"
import {pluginWith} from "../../support/plugins/plugin-sources.ts"
import {secretOf} from "../../support/webhooks/webhooks.ts"

/** A distinct value for every secret that a configuration can have, and for a variable that nothing names. */
export const canaries = {
  HTTP_TOKEN: "canary.http-token/4f1e+9ab27c==",
  HTTP_PREVIOUS_TOKEN: "canary.previous-token/15bd+63ff08==",
  DEMO_TOKEN: "canary.demo-token/77d0+1cc3e5==",
  HOOK_SECRET: secretOf("canary of the webhook, now"),
  HOOK_SECRET_OLD: secretOf("canary of the webhook, before"),
  IRC_PASSWORD: "canary irc:'password' 51%&more",
  SASL_PASSWORD: 'canary-sasl "pass\\word" ünd/so+weiter\\',
  VAULT_KEY: "canary-of-a-plugin-3d9e5b7f8a1c",
  AGENT_KEY: "sk-canary-agent-key-0a1b2c3d4e5f",
  DATABASE_TOKEN: "eyJhbGciOi.canary-database.c2lnbmF0dXJl_-",
  UNUSED_KEY: "canary-of-a-variable-nobody-names",
} as const

/** A token that a stranger sends. Nothing may show it either. */
export const wrongToken = "canary-of-a-token-that-is-wrong"

/** A configuration with all of these except the database token. Nothing listens where it connects. */
export const canaryConfig = (port: number): string => `http:
  port: 0
  token: \${HTTP_TOKEN}
  previousToken: {token: "\${HTTP_PREVIOUS_TOKEN}", until: "2999-01-01T00:00:00Z"}
  demoToken: \${DEMO_TOKEN}
agents:
  helper: {provider: stand-in, model: none, key: "\${AGENT_KEY}"}
plugins:
  sandbox: {}
  vault:
    config: {key: "\${VAULT_KEY}"}
  irc:
    endpoints:
      - id: nowhere
        server: 127.0.0.1
        port: ${port}
        tls: false
        nick: bot
        password: \${IRC_PASSWORD}
        sasl: {account: bot, password: "\${SASL_PASSWORD}"}
  webhook:
    endpoints:
      - id: shop
        url: http://127.0.0.1:${port}/hook
        secrets: ["\${HOOK_SECRET}", "\${HOOK_SECRET_OLD}"]
`

/** Source of a careless plugin that leaks its secret in setup, log, console, errors, routes and an adapter. */
export const vaultPlugin = pluginWith("").replace(
  /setup\(plugin\) \{[\s\S]*\},\n\}\)/,
  `config: Type.Object({key: Type.Secret()}),
  setup(plugin, {key}) {
    const value = key.reveal()
    const forms = [value, encodeURIComponent(value), Buffer.from("x" + value).toString("base64"), JSON.stringify({value})]
    const wrong = (text: string) => new Error(text + ": " + forms.join(" "), {cause: new TypeError(JSON.stringify(forms))})
    plugin.log.info("the key is " + forms.join(" "), {key, value, forms, headers: new Headers({authorization: "Bearer " + value})})
    console.log("on the console", value, {forms})
    plugin.command("fail", () => { throw wrong("failed") })
    plugin.command("late", () => {
      setTimeout(() => { throw wrong("late") }, 1)
      return "soon"
    })
    plugin.command("whisper", async ({session}) => { await session.send({endpoint: "vault", channel: "#c"}, "psst") })
    plugin.route({method: "GET", path: "/throws", scope: "full", summary: "throws", handle: () => { throw wrong("route") }})
    plugin.adapter("vault", {
      history: "none",
      open: async () => ({send: async () => { throw refused(forms.join(" "), {reason: "denied", remediation: "none"}) }}),
    })
    plugin.adapter("broken", {history: "none", open: async () => { throw wrong("open") }})
    if (process.env.BREAK === "setup") throw wrong("setup")
    if (process.env.BREAK === "rejection") void Promise.reject(wrong("rejection"))
    if (process.env.BREAK !== undefined) return new Promise<void>(resolve => setTimeout(resolve, 5000))
  },
})`,
)

/** The canaries in a text, in any of their forms, as `NAME: form`. */
export const canariesIn = (text: string): readonly string[] =>
  Object.entries({...canaries, wrongToken}).flatMap(([name, value]) =>
    [...tracesOf(value), ...tracesOf(value.replace(/^whsec_/, ""))]
      .filter(trace => text.includes(trace))
      .map(trace => `${name}: ${trace}`),
  )

/** The files that a project's Host has left in its folders, by path. */
export const leftBehind = (project: Project): Readonly<Record<string, string>> => {
  const files: Record<string, string> = {}
  for (const folder of [".svc", "data"]) {
    if (!existsSync(project.path(folder))) continue
    for (const name of readdirSync(project.path(folder), {recursive: true, encoding: "utf8"})) {
      const text = readIfThere(join(project.path(folder), name))
      if (text !== undefined) files[join(folder, name)] = text
    }
  }
  return files
}

/** Returns undefined for a path that is not a file or that a running Host has just removed. */
const readIfThere = (path: string): string | undefined => {
  try {
    return statSync(path).isFile() ? readFileSync(path, "utf8") : undefined
  } catch (error) {
    if (existsSync(path)) throw error
    return undefined
  }
}
