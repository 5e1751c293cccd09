import {spawnSync} from "node:child_process"
import {mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync} from "node:fs"
import {tmpdir} from "node:os"
import {join} from "node:path"
import {parse} from "plist"
import {afterAll, expect, test} from "vitest"
import {agentFile} from "../../server/process/service/launchd.ts"
import {notifying, userUnit} from "../../server/process/service/unit.ts"
import {root} from "../support/host/runtimes.ts"
import {describePart, linux, program} from "./support/part.ts"

const template = readFileSync(join(root, "container/systemd/svc@.service"), "utf8")

/** Paths that exist, because systemd-analyze looks for the programs that a unit starts. */
const user = userUnit(template, {name: "my-bot", project: "/tmp", runtime: "/usr/bin/env", launcher: "/tmp/launch.js"})

describePart(
  "units of systemd, examined without a systemd that runs",
  [linux, program("systemd-analyze", "systemd")],
  () => {
    const folder = mkdtempSync(join(tmpdir(), "svc-units-"))
    afterAll(() => rmSync(folder, {recursive: true}))
    const units = [
      ["svc@.service", notifying(template, false), 15],
      ["svc@.service", notifying(template, true), 15],
      ["svc-my-bot.service", notifying(user, false), 15],
      // That a child may notify systemd counts 0.2.
      ["svc-my-bot.service", notifying(user, true), 17],
    ] as const

    const analyze = (name: string, text: string, ...args: readonly string[]) => {
      const file = join(folder, name)
      writeFileSync(file, text)
      return spawnSync("systemd-analyze", [...args, file], {encoding: "utf8"})
    }

    test.each(units)("%s passes systemd as it is, but not with an unknown key", (name, text) => {
      const verify = (unit: string) => analyze(name.replace("@", "@root"), unit, "verify", "--man=no")
      const {status, stderr} = verify(text)
      expect({status, told: stderr.split("\n").filter(line => line.includes(folder))}).toEqual({status: 0, told: []})
      expect(verify(text.replace("KillMode=", "KillMood=")).stderr).toContain("Unknown key 'KillMood'")
    })

    test.each(units)("%s has a low exposure; a bare unit fails this check", (name, text, most) => {
      const security = (unit: string) =>
        analyze(name, unit, "--offline=yes", "security", `--threshold=${most}`, "--no-pager")
      // A user's own manager runs it as that user, which the unit does not say.
      expect(security(text.replace("[Service]\n", "[Service]\nUser=ada\n")).status).toBe(0)
      expect(security("[Service]\nExecStart=/bin/true\n").status).toBe(1)
    })
  },
)

describePart("an agent of launchd", [], () => {
  test("is a property list that restarts the Host on every exit code but 0, about five times in 120 s", () => {
    const project = "/Users/ada/bots & <more>"
    const text = agentFile({
      label: "svc.my-bot",
      project,
      runtime: "/opt/homebrew/bin/bun",
      launcher: "/x/cli/launch.js",
    })
    expect(parse(text)).toEqual({
      Label: "svc.my-bot",
      ProgramArguments: [
        ...["/opt/homebrew/bin/bun", "/x/cli/launch.js", "runtime", "start", "--mode", "production", "--no-watch"],
      ],
      WorkingDirectory: project,
      EnvironmentVariables: {PATH: "/opt/homebrew/bin:/usr/local/bin:/opt/homebrew/bin:/usr/bin:/bin"},
      RunAtLoad: true,
      KeepAlive: {SuccessfulExit: false},
      ThrottleInterval: 24,
      ExitTimeOut: 30,
      Umask: 0o077,
      StandardOutPath: `${project}/.svc/runtime.log`,
      StandardErrorPath: `${project}/.svc/runtime.log`,
    })
  })
})

describePart("shell scripts", [program("shellcheck")], () => {
  const scripts = [".ci/run", ...shellScriptsOf("container")]

  test.each(scripts)("%s passes shellcheck without complaints", script => {
    const {status, stdout} = spawnSync("shellcheck", [script], {cwd: root, encoding: "utf8"})
    expect({status, stdout}).toEqual({status: 0, stdout: ""})
  })
})

function shellScriptsOf(folder: string): readonly string[] {
  return readdirSync(join(root, folder), {recursive: true, encoding: "utf8"})
    .filter(file => file.endsWith(".sh"))
    .map(file => `${folder}/${file}`)
}
