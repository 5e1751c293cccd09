import {expect, test} from "vitest"
import {svc, usuallyOn} from "../../support/host/host.ts"
import {startIrcHost, untilEndpoint} from "../../support/irc/host.ts"
import {type IrcServerName, joinIrc, startIrcServer} from "../../support/irc/servers.ts"
import {startServices} from "../../support/irc/services.ts"
import {describeWith} from "../../support/machine/tools.ts"

const servers: readonly IrcServerName[] = ["ngircd", "inspircd"]
const runtime = usuallyOn("node24")

const checked = async (host: Awaited<ReturnType<typeof startIrcHost>>, id: string) => {
  const {stdout} = await svc(runtime, host.project, ["adapter", "check", `irc~${id}`, "--json"])
  return JSON.parse(stdout)
}

describeWith(
  "ngircd",
  "inspircd",
  "atheme-services",
)("svc adapter check of an IRC account", () => {
  test.each(servers)("checks login and channels on %s beside the running bot, without joining channels", async name => {
    const server = await startIrcServer(name, {password: "right-password"})
    const person = await joinIrc(server, "alice", {channel: "#keyed", password: "right-password"})
    person.write("MODE #keyed +k its-key")
    person.write("JOIN #closed")
    await person.sees(/^:alice!\S+ JOIN/)
    person.write("MODE #closed +i")
    await person.sees(/MODE #closed :?\+i/)
    const password = "${SERVER_PASSWORD}"
    const account = {port: server.port, nick: "svcbot", password}
    const host = await startIrcHost(
      [
        {id: "main", ...account, channels: ["#keyed", "#closed", "#open"]},
        {id: "keyed", ...account, nick: "other", channels: ["#keyed its-key"]},
        {id: "away", ...account, nick: "fourth", port: 1, channels: ["#keyed"]},
        {id: "wrong", ...account, nick: "third", password: "${WRONG_PASSWORD}"},
      ],
      {runtime, env: {SERVER_PASSWORD: "right-password", WRONG_PASSWORD: "a-wrong-password"}},
    )
    await untilEndpoint(host, "main", "online")
    await untilEndpoint(host, "keyed", "online")
    const heard = person.lines.length
    expect(await checked(host, "main")).toMatchObject({
      ok: false,
      findings: [
        {what: "credentials", ok: true, detail: expect.stringMatching(/^connected to 127\.0\.0\.1 as svcbo\d{4}$/)},
        {what: "channel #keyed", ok: false, remediation: 'Write "#keyed <key>" under channels.'},
        {what: "channel #closed", ok: true, detail: expect.stringContaining("invite-only")},
        {what: "channel #open", ok: true, detail: "it exists"},
      ],
    })
    expect(await checked(host, "keyed")).toMatchObject({ok: true, findings: [{ok: true}, {what: "channel #keyed"}]})
    expect(await checked(host, "wrong")).toMatchObject({
      ok: false,
      findings: [{what: "credentials", remediation: expect.stringMatching(/\bpassword\b/)}],
    })
    expect(await checked(host, "away")).toMatchObject({ok: false, findings: [{what: "platform"}]})
    expect(person.lines.slice(heard).filter(line => /JOIN|QUIT/.test(line))).toEqual([])
    await untilEndpoint(host, "main", "online")
  })

  test("reports a SASL login that the server refuses", async () => {
    const server = await startIrcServer("inspircd")
    await startServices(server, {svcbot: "correct-password"})
    const account = {port: server.port, nick: "svcbot"}
    const sasl = (variable: string) => ({account: "svcbot", password: `\${${variable}}`})
    const host = await startIrcHost(
      [
        {id: "right", ...account, sasl: sasl("RIGHT_PASSWORD")},
        {id: "wrong", ...account, nick: "other", sasl: sasl("WRONG_PASSWORD")},
      ],
      {runtime, env: {RIGHT_PASSWORD: "correct-password", WRONG_PASSWORD: "a-wrong-password"}},
    )
    await untilEndpoint(host, "right", "online")
    expect(await checked(host, "right")).toMatchObject({
      ok: true,
      findings: [{detail: expect.stringMatching(/, logged in as svcbot$/)}],
    })
    expect(await checked(host, "wrong")).toMatchObject({
      ok: false,
      findings: [{what: "credentials", remediation: expect.stringMatching(/\bsasl\.account\b.*\bsasl\.password\b/)}],
    })
  })
})
