import {setTimeout as sleep} from "node:timers/promises"
import {afterAll, beforeAll, describe, expect, test} from "vitest"
import {documentedCommands} from "../support/docs/documented-commands.ts"
import {until} from "../support/host/process.ts"
import {type BoxProject, makeBoxProject, prepareBoxProject} from "./support/box-project.ts"
import {describePart, systemdNeeds} from "./support/part.ts"
import {type SystemdBox, startSystemdBox} from "./support/systemd-box.ts"

const page = "docs/deploy/service.md"

/** Every place that a process can usually write to, and some that it cannot. */
const places = (folder: string) => [
  ...[".svc", ".svc/tmp", "data", "", "plugins"].map(name => `${folder}/${name}`),
  ..."/ /tmp /var/tmp /dev/shm /run /run/lock /home /srv/svc /etc /usr/local /var/lib /opt /proc/self /sys".split(" "),
]

describePart("systemd, booted in a container", systemdNeeds, () => {
  let box: SystemdBox
  beforeAll(async () => {
    box = await startSystemdBox()
  })
  afterAll(() => box?.stop())

  const show = (unit: string, property: string) => box.must(`systemctl show ${unit} --property=${property} --value`)
  const svc = (words: string, {folder, user}: BoxProject) => box.sh(`cd ${folder} && svc ${words}`, {user})
  const asRoot = (words: string, folder: string, runtime = "bun") =>
    box.sh(`cd ${folder} && ${runtime} node_modules/svc-runtime/cli/launch.js ${words}`)
  const ready = (project: BoxProject) => until("the Host to be ready", () => project.isReady())
  /** Syncs first, to include entries in transit to the journal. */
  const journal = (unit: string) => box.must(`journalctl --sync && journalctl --unit ${unit} --output cat --no-pager`)

  describe.each(["bun", "node"] as const)("svc@.service on %s", runtime => {
    const user = runtime === "bun" ? "alice" : "nora"
    const unit = `svc@${user}`
    let project: BoxProject

    test(`is set up by ${runtime === "bun" ? "the lines of the page, exactly as written" : "svc service install"}`, async () => {
      const make = () => makeBoxProject(box, user, `/srv/svc/${user}`, runtime === "bun" ? 8071 : 8072)
      if (runtime === "bun") {
        const lines = documentedCommands(page, "Of the system").filter(line => !line.startsWith("systemctl r"))
        const [made, installed] = [
          lines.findIndex(line => line.includes("-m 0700")),
          lines.findIndex(line => line.includes("enable")),
        ]
        for (const line of lines.slice(0, made)) box.must(line)
        project = make()
        for (const line of lines.slice(made, installed + 1)) box.must(line)
        await ready(project)
        return
      }
      project = make()
      box.must(`cd ${project.folder} && install -o ${user} -g ${user} -m 0600 .env.example .env`)
      const installed = asRoot("service install", project.folder, runtime)
      expect(installed).toMatchObject({code: 0, stderr: ""})
      expect(installed.stdout).toMatch(/\bis ready\b/)
    })

    test("runs as the user in its name, enabled; svc service status exits 0 and shows readiness", () => {
      const status = asRoot("service status --json", project.folder)
      expect(status.code).toBe(0)
      expect(JSON.parse(status.stdout)).toMatchObject({installed: true, enabled: true, running: true, ready: true})
      const told = project.plugin<Record<string, unknown>>("/api/plugins/writer/writes", [])
      expect(told).toMatchObject({uid: Number(box.must(`id -u ${user}`)), tmpdir: `${project.folder}/.svc/tmp`})
      expect(told.bun !== undefined).toBe(runtime === "bun")
    })

    test("writes to .svc/ and data/ only", () => {
      const {writable} = project.plugin<{writable: string[]}>("/api/plugins/writer/writes", places(project.folder))
      expect(writable).toEqual([".svc", ".svc/tmp", "data"].map(name => `${project.folder}/${name}`))
    })

    test("has the package manager on its PATH", () => {
      const {path} = project.plugin<{path: string}>("/api/plugins/writer/writes", [])
      const manager = runtime === "bun" ? "bun" : "npm"
      expect(box.must(`PATH=${path} ${manager} --version`, {user})).toMatch(/^\d+\.\d+\.\d+$/)
    })

    test("restarts on 51 and 75, and names systemd as the owner", async () => {
      expect(svc("runtime restart", project).stdout).toContain(`code 51; systemd (${unit}.service) `)
      await until("the first restart", () => show(unit, "NRestarts") === "1" && project.isReady())
      box.must(`echo '// changed' >> ${project.folder}/plugins/writer.js`)
      expect(project.plugin("/api/system/reload")).toMatchObject({restarting: true})
      await until("the second restart", () => show(unit, "NRestarts") === "2" && project.isReady())
      expect(svc("runtime status", project).stdout).toContain(`systemd (${unit}.service)`)
      const stop = svc("runtime stop", project)
      expect({code: stop.code, stderr: stop.stderr}).toEqual({
        code: 1,
        stderr: expect.stringContaining(`systemctl stop ${unit}.service`),
      })
      expect(project.isReady()).toBe(true)
    })

    if (runtime === "node")
      test("tells systemd that it is ready, and is restarted by the watchdog of a drop-in if it hangs", async () => {
        expect(show(unit, "Type")).toBe("notify")
        expect(show(unit, "StatusText")).toBe("ready")
        box.must(`printf '[Service]\\nWatchdogSec=4\\n' > /etc/systemd/system/${unit}.service.d/watchdog.conf
          systemctl daemon-reload && systemctl reset-failed ${unit} && systemctl restart ${unit}`)
        const [pid, count] = [show(unit, "MainPID"), Number(show(unit, "NRestarts"))]
        await sleep(6000)
        expect([show(unit, "ActiveState"), show(unit, "MainPID")]).toEqual(["active", pid])
        box.must(`kill -STOP ${pid}`)
        await until("the watchdog", () => Number(show(unit, "NRestarts")) === count + 1 && project.isReady())
        expect(show(unit, "MainPID")).not.toBe(pid)
      })

    test("loads a changed configuration on systemctl reload, and ends in order on stop", async () => {
      box.must(`cd ${project.folder} && sed -i 's/sandbox: {}, //' svc.config.yml && systemctl reload ${unit}`)
      await until("the reload", () => journal(unit).includes("committed (SIGHUP)"))
      const lines = documentedCommands(page, "Of the system").filter(line => /^(systemctl r|journalctl)/.test(line))
      for (const line of lines) box.must(line.replaceAll("svc@alice", unit))
      expect(journal(unit)).toContain("stopping (SIGTERM)")
      await ready(project)
    })
  })

  test("runs two instances of the template in parallel, and stops one without the other", async () => {
    expect([show("svc@alice", "ActiveState"), show("svc@nora", "ActiveState")]).toEqual(["active", "active"])
    box.must("systemctl stop svc@nora")
    expect(box.sh("curl --silent --fail http://127.0.0.1:8071/pub/ready").code).toBe(0)
    expect(asRoot("service status", "/srv/svc/nora").code).toBe(1)
  })

  test("svc service uninstall removes an instance completely, and keeps the template", () => {
    expect(asRoot("service uninstall", "/srv/svc/nora").code).toBe(0)
    expect(box.sh("ls /etc/systemd/system /etc/systemd/system/multi-user.target.wants").stdout).not.toContain(
      "svc@nora",
    )
    expect(box.sh("test -f /etc/systemd/system/svc@.service").code).toBe(0)
  })

  describe("a project that does not fit the template", () => {
    let project: BoxProject
    beforeAll(() => {
      project = makeBoxProject(box, "mallory", "/srv/svc/mallory", 8073)
      prepareBoxProject(box, project)
    })
    const refused = (change: string, back: string) => {
      box.must(`cd ${project.folder} && ${change}`)
      const start = box.sh(
        "systemctl start svc@mallory; systemctl stop svc@mallory; systemctl reset-failed svc@mallory",
      )
      const install = asRoot("service install", project.folder)
      box.must(`cd ${project.folder} && ${back}`)
      return {start: start.stderr, install: install.stderr, log: journal("svc@mallory")}
    }

    test("is not installed with a runtime that the unit cannot see", () => {
      box.must("install -D /usr/local/bin/bun /home/mallory/.bun/bin/bun && umount --lazy /usr/local/bin/bun")
      const install = asRoot("service install", project.folder, "/home/mallory/.bun/bin/bun")
      box.must("mount --bind /home/mallory/.bun/bin/bun /usr/local/bin/bun")
      expect(install.code).toBe(1)
      expect(install.stderr).toContain("install -m 755 /home/mallory/.bun/bin/bun /usr/local/bin/")
    })

    test("does not start without .env", () => {
      const {start, install, log} = refused("mv .env away", "mv away .env")
      expect(start).toContain("failed")
      expect(log).toContain("Failed to load environment files: No such file or directory")
      expect(install).toContain("there is no /srv/svc/mallory/.env")
    })

    test.each([
      ["can be read by others", "chmod 644 .env"],
      ["belongs to another user", "chown root .env"],
    ])("does not start with an .env that %s", (_, change) => {
      const {start, install, log} = refused(change, "chmod 600 .env && chown mallory .env")
      expect(start).toContain("failed")
      expect(log).toContain("/srv/svc/mallory/.env must have mode 0600 and belong to mallory")
      expect(install).toContain("chmod 600 /srv/svc/mallory/.env")
    })

    test("refuses the restart after its fifth start, which would make systemd give up, and keeps running", async () => {
      box.must("systemctl start svc@mallory")
      await ready(project)
      for (let n = 1; n <= 4; n++) {
        expect(svc("runtime restart", project).code).toBe(0)
        await until(`restart ${n}`, () => show("svc@mallory", "NRestarts") === String(n) && project.isReady())
      }
      const refusal = svc("runtime restart", project)
      expect({code: refusal.code, stdout: refusal.stdout}).toEqual({code: 1, stdout: ""})
      expect(refusal.stderr).toMatch(/\bsystemd .*\b5 starts in 120 s\b.* 5; .*\d{4}-\d\d-\d\d/)
      expect(project.isReady()).toBe(true)
      // The failure that the Host prevented.
      expect(box.sh("systemctl restart svc@mallory").code).not.toBe(0)
      expect(journal("svc@mallory")).toContain("Start request repeated too quickly")
      box.must("systemctl reset-failed svc@mallory")
    })

    test("is started five times in 120 s, and not a sixth time", async () => {
      box.must(`cd ${project.folder} && echo 'prot: 1' >> svc.config.yml`)
      box.sh("systemctl start svc@mallory")
      await until("systemd to give up", () => show("svc@mallory", "ActiveState") === "failed")
      const log = journal("svc@mallory")
      expect(log.match(/prot: unknown key/g)).toHaveLength(5)
      expect(log).toContain("Start request repeated too quickly")
      expect(show("svc@mallory", "NRestarts")).toBe("5")
    })
  })

  describe("svc service --user, of a user with lingering", () => {
    let project: BoxProject
    let env: Record<string, string>
    beforeAll(async () => {
      project = makeBoxProject(box, "carol", "/home/carol/bot", 8074)
      prepareBoxProject(box, project)
      const id = box.must("id -u carol")
      env = {XDG_RUNTIME_DIR: `/run/user/${id}`}
      box.must("mkdir -p ~/.bun/bin && cp /usr/local/bin/bun ~/.bun/bin/", {user: "carol"})
    })
    const carol = (words: string, more = env) =>
      box.sh(`cd /home/carol/bot && ~/.bun/bin/bun node_modules/svc-runtime/cli/launch.js service ${words}`, {
        user: "carol",
        env: more,
      })

    const carolShows = (property: string) =>
      box.must(`systemctl --user show svc-bot-of-carol --property=${property} --value`, {user: "carol", env})

    test("reports a user's manager that is missing or not found", () => {
      expect(carol("status --user", {}).stderr).toContain("loginctl enable-linger carol")
      box.must("loginctl enable-linger carol")
      box.must(`until test -S ${env.XDG_RUNTIME_DIR}/bus; do sleep 0.1; done`)
      const without = carol("status --user", {})
      expect(without).toMatchObject({code: 1, stdout: ""})
      expect(without.stderr).toContain(`export XDG_RUNTIME_DIR=${env.XDG_RUNTIME_DIR}`)
      expect(carol("install").stderr).toContain("svc service install --user")
    })

    test("prints the unit with --dry-run without a change; status exits 1 before the installation", () => {
      const dry = carol("install --user --dry-run")
      expect(dry.stdout).toContain("WorkingDirectory=/home/carol/bot\n")
      expect(dry.stdout).toContain("ProtectSystem=strict\n")
      expect(box.sh("ls /home/carol/.config").code).not.toBe(0)
      expect(carol("status --user")).toMatchObject({code: 1, stdout: expect.stringContaining("installed  no")})
    })

    test("installs, enables and starts it; a second run changes nothing", async () => {
      const first = carol("install --user")
      expect(first).toMatchObject({code: 0, stderr: ""})
      expect(first.stdout).toMatch(/\bis ready\b/)
      expect(first.stdout).not.toContain("lingering")
      await until("systemd to know it", () => carolShows("StatusText") === "ready" && carolShows("Type") === "notify")
      const before = JSON.parse(carol("status --user --json").stdout)
      expect(before).toMatchObject({installed: true, enabled: true, running: true, ready: true})
      expect(carol("install --user").stdout).toMatch(/\balready installed\b/)
      expect(JSON.parse(carol("status --user --json").stdout)).toEqual(before)
      expect(svc("runtime status", project).stdout).toContain("systemd (svc-bot-of-carol.service)")
      expect(svc("runtime stop", project).stderr).toContain("systemctl --user stop svc-bot-of-carol.service")
    })

    test("writes to .svc/ and data/ only, even in the home folder", () => {
      const asked = [...places(project.folder), "/home/carol", "/home/carol/.config"]
      const {writable} = project.plugin<{writable: string[]}>("/api/plugins/writer/writes", asked)
      expect(writable).toEqual([".svc", ".svc/tmp", "data"].map(name => `${project.folder}/${name}`))
    })

    test("restarts it on 51, prints its log, and is its only owner, says svc doctor", async () => {
      expect(svc("runtime restart", project).code).toBe(0)
      await until(
        "the restart",
        () => JSON.parse(carol("status --user --json").stdout).restarts === 1 && project.isReady(),
      )
      expect(carol("logs --user").stdout).toContain("generation 1 committed")
      expect(svc("doctor", project).stdout).toContain("only systemd (svc-bot-of-carol.service) starts the Host")
    })

    test("is restarted by the watchdog of a drop-in if it hangs, on Bun too", async () => {
      const drop = "~/.config/systemd/user/svc-bot-of-carol.service.d"
      box.must(
        `mkdir ${drop} && printf '[Service]\\nWatchdogSec=4\\n' > ${drop}/watchdog.conf
        systemctl --user daemon-reload && systemctl --user restart svc-bot-of-carol && rm -r ${drop}`,
        {user: "carol", env},
      )
      const pid = carolShows("MainPID")
      await sleep(6000)
      expect(carolShows("MainPID")).toBe(pid)
      box.must(`kill -STOP ${pid}`)
      await until("the watchdog", () => carolShows("MainPID") !== pid && project.isReady())
    })

    test("uninstalls it, and keeps the project", () => {
      expect(carol("uninstall --user").code).toBe(0)
      expect(project.isReady()).toBe(false)
      expect(carol("status --user").code).toBe(1)
      expect(box.sh("find /home/carol/.config/systemd -type f -o -type l").stdout).toBe("")
      expect(box.sh("test -f /home/carol/bot/.svc/data.sqlite").code).toBe(0)
      expect(carol("uninstall --user").stdout).toMatch(/\bno service\b/)
    })
  })

  test("the page's lines for a user's own service work exactly as written", async () => {
    const {folder} = makeBoxProject(box, "erin", "/home/erin/bot", 8076)
    const env = {USER: "erin", XDG_RUNTIME_DIR: `/run/user/${box.must("id -u erin")}`}
    const lines = documentedCommands(page, "Of your own user")
    expect(lines).toHaveLength(7)
    for (const line of lines) {
      const isRoot = line.startsWith("sudo ")
      box.must(`cd ${folder} && ${line.replace(/^sudo /, "")}`, isRoot ? {env} : {user: "erin", env})
      if (isRoot) box.must(`until test -S ${env.XDG_RUNTIME_DIR}/bus; do sleep 0.1; done`)
    }
    expect(box.sh("find /home/erin/.config/systemd -type f -o -type l").stdout).toBe("")
  })

  test("svc runtime start --daemon is refused in a unit", () => {
    prepareBoxProject(box, makeBoxProject(box, "dave", "/srv/svc/dave", 8075))
    const started = box.sh(
      "systemd-run --wait --pipe --quiet -p User=dave -p WorkingDirectory=/srv/svc/dave --setenv=HTTP_TOKEN=x bun /opt/svc/cli/launch.js runtime start --daemon",
    )
    expect(started).toMatchObject({code: 1, stderr: expect.stringMatching(/^svc: systemd /m)})
  })
})
