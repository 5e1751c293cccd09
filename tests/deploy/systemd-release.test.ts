import {execFileSync} from "node:child_process"
import {afterAll, beforeAll, expect, test} from "vitest"
import {documentedCommands} from "../support/docs/documented-commands.ts"
import {until} from "../support/host/process.ts"
import {makeUpgradable} from "../support/release/upgrade.ts"
import {boxToken} from "./support/box-project.ts"
import {describePart, systemdNeeds} from "./support/part.ts"
import {type SystemdBox, startSystemdBox} from "./support/systemd-box.ts"

const user = "rosa"
const unit = `svc@${user}`
const folder = `/srv/svc/${user}`
const url = "http://127.0.0.1:8078"

describePart("a release under systemd, booted in a container", systemdNeeds, () => {
  let box: SystemdBox
  beforeAll(async () => {
    box = await startSystemdBox()
  })
  afterAll(() => box?.stop())

  const asUser = (script: string) => box.must(`cd ${folder} && ${script}`, {user, env: {SVC_HTTP_TOKEN: boxToken}})
  const version = () => {
    const {code, stdout} = box.sh(
      `curl --silent --fail -H 'authorization: Bearer ${boxToken}' ${url}/api/plugins/notes/version`,
    )
    return code === 0 ? (JSON.parse(stdout) as {version: string}).version : "none"
  }
  const ready = () => until("the Host to be ready", () => box.sh(`curl --silent --fail ${url}/pub/ready`).code === 0)
  const restarts = () => Number(box.must(`systemctl show ${unit} --property=NRestarts --value`))

  /** Makes a running git project of the user at its first version; `origin/main` is at the second one. */
  const setUp = async (): Promise<{before: string; next: string}> => {
    const withAddress = (config: string) => config.replace("port: 0", `port: 8078\n  token: \${HTTP_TOKEN}`)
    const {project, next} = makeUpgradable(withAddress, {command: ["bun", "/opt/svc/cli/launch.js"]}, "/opt/svc")
    const bundle = execFileSync("git", ["-C", project.folder, "bundle", "create", "--quiet", "-", "main", "next"])
    box.must(`useradd --create-home --shell /bin/bash ${user}
      install -d -o ${user} -g ${user} ${folder}
      install -d -o ${user} -g ${user} -m 0700 ${folder}/.svc ${folder}/data`)
    asUser(`echo ${bundle.toString("base64")} | base64 -d > ~/bot.bundle
      git clone --quiet --bare ~/bot.bundle ~/origin.git
      git --git-dir ~/origin.git branch --force main next
      git init --quiet --initial-branch main .
      git fetch --quiet ~/bot.bundle main
      git reset --quiet --hard FETCH_HEAD
      git remote add origin ~/origin.git
      (umask 077; echo HTTP_TOKEN=${boxToken} > .env)
      bun install --frozen-lockfile --silent
      svc build`)
    box.must(`cp /opt/svc/container/systemd/svc@.service /etc/systemd/system/ && systemctl daemon-reload
      systemctl enable --quiet --now ${unit}`)
    await ready()
    return {before: project.git("rev-parse", "main"), next}
  }

  /** Follows a page for systemd. Returns the bot's answer after each line. */
  const follow = async (page: string, replace: (line: string) => string): Promise<ReadonlyMap<string, string>> => {
    const answers = new Map<string, string>()
    for (const documented of documentedCommands(page)) {
      const line = replace(documented.replace(/ +#.*/, ""))
      const count = restarts()
      if (line.startsWith("systemctl ")) box.must(line)
      else asUser(line)
      if (line === "svc runtime restart") await until("systemd to restart it", () => restarts() === count + 1)
      if (line === "svc runtime restart" || line.startsWith("systemctl start")) await ready()
      answers.set(line, version())
    }
    return answers
  }

  test("the release and rollback pages work word for word, and the bot's answers prove the code", async () => {
    const {before, next} = await setUp()
    expect(version()).toBe("one")
    const released = await follow("docs/operate/release.md", line => line.replace("http://127.0.0.1:8068", url))
    expect(released.get("svc release install")).toBe("one")
    expect(released.get("svc runtime restart")).toBe("two")
    expect(asUser("git rev-parse main").trim()).toBe(next)
    const {release} = JSON.parse(asUser("svc release status --json"))
    expect(release).toMatchObject({
      state: "observing",
      acceptedBy: "dana",
      verification: {ok: true, build: {commit: next}},
    })

    const rolledBack = await follow("docs/operate/rollback.md", line =>
      line
        .replace("20261121-120933-7f226e", release.restorePoint.checkpoint)
        .replace("svc runtime stop", `systemctl stop ${unit}`)
        .replace("svc runtime start --mode production --no-watch", `systemctl start ${unit}`),
    )
    expect(rolledBack.get(`systemctl stop ${unit}`)).toBe("none")
    expect(rolledBack.get(`systemctl start ${unit}`)).toBe("one")
    expect(asUser("git rev-parse HEAD").trim()).toBe(before)
    expect(JSON.parse(asUser("svc release status --json")).release.state).toBe("rolled_back")
  }, 300_000)

  test("a broken change is refused with its position, and the Host keeps running", () => {
    const pid = box.must(`systemctl show ${unit} --property=MainPID --value`)
    asUser(`sed -i 's/setup(plugin) {/&\\n    throw new Error("broken today")/' plugins/notes.ts && svc build`)
    const {code, stderr} = box.sh(`cd ${folder} && svc runtime reload`, {user})
    expect({code, stderr}).toEqual({code: 1, stderr: expect.stringContaining("broken today")})
    expect(stderr).toMatch(/notes\.(ts|js):\d+:\d+/)
    expect(box.must(`systemctl show ${unit} --property=MainPID --value`)).toBe(pid)
    expect(version()).toBe("one")
  })
})
