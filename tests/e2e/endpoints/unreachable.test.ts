import {spawnSync} from "node:child_process"
import {readFileSync, writeFileSync} from "node:fs"
import {connect} from "node:net"
import {join} from "node:path"
import {pipeline} from "node:stream"
import {createServer} from "node:tls"
import {expect, test} from "vitest"
import type {AdapterUnderTest} from "../../../server/testing/adapter/conformance.ts"
import {discord} from "../../support/adapters/discord.ts"
import {email} from "../../support/adapters/email.ts"
import {matrix} from "../../support/adapters/matrix.ts"
import {mqtt} from "../../support/adapters/mqtt.ts"
import {onebot} from "../../support/adapters/onebot.ts"
import {irc} from "../../support/adapters/platforms.ts"
import {satori, startServingHost} from "../../support/adapters/satori.ts"
import {bridgedKook} from "../../support/adapters/satori-bridge.ts"
import {slack} from "../../support/adapters/slack.ts"
import {telegram} from "../../support/adapters/telegram.ts"
import {xmpp} from "../../support/adapters/xmpp.ts"
import {bunAnd, endpointsOf, makeFolder, startHost, until, untilOnline, whenOver} from "../../support/host/host.ts"
import {type Certificate, makeCertificate, makeExpired, platformHost} from "../../support/irc/servers.ts"
import {listen} from "../../support/machine/listen.ts"
import {describeWith} from "../../support/machine/tools.ts"
import {isDendriteThere, startDendrite} from "../../support/platforms/matrix/dendrite.ts"

/** Replaces the machine's list of hosts for one process. */
const withHosts = ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c"]
const canUnshare =
  spawnSync(withHosts[0] ?? "", [...withHosts.slice(1), "mount --bind /dev/null /etc/hosts"]).status === 0

/** Accounts of every adapter that connects by TLS, by the endpoint's name. */
const adapters = async (): Promise<readonly AdapterUnderTest[]> => {
  const server = await startServingHost()
  const others = [discord, email, irc, mqtt, onebot("http"), slack, telegram, bridgedKook, xmpp()]
  return [...others, onebot("ws"), satori(() => server), await matrix(await startDendrite())]
}

/** Starts the platform behind a listener with TLS. Resolves to an account there, at a host's name. */
const startSecure = async (adapter: AdapterUnderTest, id: string) => {
  const {account} = await adapter.platform(whenOver)
  const plain = JSON.stringify({...account, id})
  const target = Number(/(?:127\.0\.0\.1:|"port":)(\d+)/.exec(plain)?.[1])
  const listener = createServer(near => {
    pipeline(near, connect(target, "127.0.0.1"), near, () => near.destroy())
  })
  const port = await listen(listener)
  const text = plain
    .replace(/"(\w+):\/\/127\.0\.0\.1:\d+/, `"$1s://${platformHost}:${port}`)
    .replace(/"(server|host)":"127\.0\.0\.1"/, `"$1":"${platformHost}"`)
    .replace(/"port":\d+/, `"port":${port}`)
    .replace('"tls":false', '"tls":true')
    .replace('"tls":"none"', '"tls":"tls"')
  const show = ({cert, key}: Certificate) =>
    listener.setSecureContext({cert: readFileSync(cert), key: readFileSync(key)})
  return {name: adapter.name ?? "", account: JSON.parse(text) as object, env: adapter.env, show}
}

const programs = ["ngircd", "prosody", "mosquitto", "dovecot", "openssl"] as const

describeWith(...programs)("endpoints of each adapter with TLS", () => {
  test.skipIf(!canUnshare || !isDendriteThere()).each(bunAnd("node24"))(
    "are online once the name resolves and the expired certificate is renewed, on $name",
    async ({name, command}) => {
      const good = await makeCertificate()
      const secure = await Promise.all((await adapters()).map((adapter, index) => startSecure(adapter, `at${index}`)))
      const expired = await makeExpired(good)
      for (const {show} of secure) show(expired)
      const byName = [...Map.groupBy(secure, each => each.name)]
      const plugins = Object.fromEntries(byName.map(([name, of]) => [name, {endpoints: of.map(each => each.account)}]))
      const hosts = join(makeFolder(), "hosts")
      writeFileSync(hosts, "127.0.0.1 localhost\n")
      const runtime = {name, command: [...withHosts, `mount --bind ${hosts} /etc/hosts && exec "$0" "$@"`, ...command]}
      const env = Object.assign({NODE_EXTRA_CA_CERTS: good.cert}, ...secure.map(each => each.env))
      const config = JSON.stringify({http: {port: 0, token: "${HTTP_TOKEN}"}, plugins})
      const host = await startHost({runtime, config, env})
      /** Waits until each endpoint has ended an attempt with such an error. None may fail. */
      const untilEach = (error: RegExp) =>
        until(`each endpoint to report ${error}`, async () => {
          const endpoints = await endpointsOf(host)
          expect(endpoints.filter(({state, reason}) => state === "failed" || reason !== undefined)).toEqual([])
          for (const view of endpoints) if (error.test(view.error ?? "")) said.add(`${view.name} ${error}`)
          return endpoints.every(view => said.has(`${view.name} ${error}`))
        })
      const said = new Set<string>()
      await untilEach(/ENOTFOUND|EAI_AGAIN/)
      writeFileSync(hosts, `127.0.0.1 localhost ${platformHost}\n`)
      await untilEach(/certificate has expired|CERT_HAS_EXPIRED/)
      for (const {show} of secure) show(good)
      await untilOnline(host)
    },
  )
})
