import {expect, test} from "vitest"
import type {Issue} from "../../../shared/problems.ts"
import {posting} from "../../support/host/client.ts"
import {expectProblem, startHost, svc} from "../../support/host/host.ts"
import {bunAnd} from "../../support/host/runtimes.ts"
import {pluginWith, wirePlugin} from "../../support/plugins/plugin-sources.ts"

/** Names endpoints in each kind of schema, and has the webhook `teller~push`. */
const teller = pluginWith(
  `plugin.webhook("push", {verify: {by: "github", secret: config.secret}}, () => {})`,
  `config: (place => Type.Object({
    secret: Type.Secret(), to: Type.Optional(place), list: Type.Array(place, {default: []}),
    byTeam: Type.Record(Type.String(), Type.Endpoint(), {default: {}}), usual: Type.Endpoint({default: "sandbox"}),
    any: Type.Optional(Type.Union([Type.Endpoint(), place, Type.Literal("every~one")])),
    both: Type.Optional(Type.Intersect([place, Type.Object({pair: Type.Tuple([Type.String(), Type.Endpoint()])})])),
  }))(Type.Object({endpoint: Type.Endpoint(), channel: Type.String()}))`,
)
const configOf = (rule: string, settings: string, more = "") => `http: {port: 0}
permissions: [{endpoint: ${rule}, permission: user}]
plugins:
  sandbox: {}
  wire: {endpoints: [{id: main}]}
  irc: {enabled: false, endpoints: [{id: libera}]}
  hooks: {enabled: false}
  teller:
    config:
      secret: \${SECRET}
      ${settings}
${more}`
const fine = `to: {endpoint: teller~push, channel: c}
      list: [{endpoint: "\${TEAM}", channel: c}, {endpoint: irc~libera, channel: c}, {endpoint: hooks~any, channel: c}]
      any: every~one`
const wrong = `to: {endpoint: wire~mian, channel: c}
      list: [{endpoint: sandbox, channel: c}, {endpoint: irc~x, channel: c}]
      byTeam: {a: sandbox, b: hook~any}
      any: {endpoint: teller~none, channel: c}
      both: {endpoint: sandbox, channel: c, pair: [here, no~one]}
      usual: \${WRONG}`
const wrongCore = `status: {labels: [{label: a, endpoint: no~one}]}
alerts: {targets: {ops: {endpoint: no~one, channel: c}}}
agents:
  off: {enabled: false, provider: openai-compatible, model: m, approval: {to: {endpoint: no~one, channel: c}}}
  on: {provider: openai-compatible, model: m, triggers: {events: [{endpoint: no~one}]}}`

test.each(bunAnd("node22"))("an endpoint that a setting names must exist, on $name", async runtime => {
  const env = {SECRET: "0123456789abcdef", TEAM: "sandbox", WRONG: "not~shown"}
  const plugins = {teller, wire: wirePlugin}
  const host = await startHost({runtime, args: ["--no-watch"], config: configOf("irc~libera", fine), plugins, env})
  host.project.write("svc.config.yml", configOf("irc~libra", wrong, wrongCore))
  const {issues} = await expectProblem(await host.fetch("/api/system/reload", posting()), 422, "config_invalid")
  const no = (name: string) => `there is no endpoint ${name}; known endpoints: sandbox, wire~main, teller~push`
  const found = (issues as Issue[]).map(({line, column, path, message}) => `${line}:${column} ${path}: ${message}`)
  expect(found.map(each => each.replace("plugins.teller.config.", "")).sort()).toEqual([
    `11:22 to.endpoint: ${no('"wire~mian" (did you mean "wire~main"?)')}`,
    `12:58 list[1].endpoint: ${no('"irc~x"')}`,
    `13:31 byTeam.b: ${no('"hook~any"')}`,
    `14:23 any.endpoint: ${no('"teller~none"')}`,
    `15:58 both.pair[1]: ${no('"no~one"')}`,
    `16:14 usual: ${no("that ${WRONG} names")}`,
    `17:40 status.labels[0].endpoint: ${no('"no~one"')}`,
    `18:36 alerts.targets.ops.endpoint: ${no('"no~one"')}`,
    `21:78 agents.on.triggers.events[0].endpoint: ${no('"no~one"')}`,
    `2:26 permissions[0].endpoint: ${no('"irc~libra"')}`,
  ])
  expect(await host.get("/api/generations")).toMatchObject({items: [{number: 1}]})
  const {code, stderr} = await svc(runtime, host.project, ["config", "check"], {env})
  expect(`${code} ${stderr}`).toMatch(/^1 [\s\S]*svc\.config\.yml:11:22 plugins\.teller\.config\.to\.endpoint: /)
})
