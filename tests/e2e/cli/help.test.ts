import {describe, expect, test} from "vitest"
import {commands} from "../../../cli/commands.ts"
import {makeProject, printed, runCommand, runProcess, shared} from "../../support/host/host.ts"
import {onBun, root, scriptCommand} from "../../support/host/runtimes.ts"

const names = Object.keys(commands)

const helps = shared(async () => {
  const {stdout} = await runProcess(scriptCommand(onBun, `${root}tests/e2e/cli/print-helps.ts`))
  return JSON.parse(stdout) as Readonly<Record<string, string>>
})

describe("help", () => {
  test.each(["doctor", "runtime start", "workroom block"])(
    "svc %s --help prints the help of that command",
    async name => expect(await printed(makeProject(), `${name} --help`)).toBe(helps()[name]),
  )

  test.each(names)("svc %s --help shows the usage, examples and the options", name => {
    const text = helps()[name] ?? ""
    expect(text.split("\n")[0]).toMatch(new RegExp(`^svc ${name}( <\\w+>( \\.\\.\\.)?| \\[\\w+\\])*$`))
    expect(text).toMatch(new RegExp(`\nExamples\n\n {2}\\S.*\n {4}.*svc ${name}`))
    expect(text).toContain("  --project <value>  ")
    expect(text).not.toContain("#0")
    expect(text).not.toMatch(/ $/m)
  })

  test("a required option is marked as required", () => {
    expect(helps()["release complete"]).toMatch(/^ {2}--accepted-by <value> {2}.* \(required\)$/m)
    expect(helps()["release complete"]).not.toMatch(/--window.*\(required\)/)
  })

  test("svc --help, svc help and a group's help list the commands, and svc alone does so as an error", async () => {
    const project = makeProject()
    const all = await printed(project, "--help")
    for (const name of names) expect(all).toMatch(new RegExp(`^ {2}svc ${name} {2,}\\S`, "m"))
    expect(await printed(project, "help")).toBe(all)
    const runtime = await printed(project, "help runtime")
    expect(runtime.match(/^ {2}svc .*$/gm)).toHaveLength(names.filter(name => name.startsWith("runtime ")).length)
    expect(await printed(project, "runtime --help")).toBe(runtime)
    expect(await runCommand(project, [])).toMatchObject({code: 1, stdout: "", stderr: all})
    expect(await runCommand(project, "runtime")).toMatchObject({code: 1, stdout: "", stderr: runtime})
    expect(await printed(project, "--version")).toMatch(/^\d+\.\d+\.\d+\n$/)
  })
})

const list = "svc --help lists the commands"
const call = (command: string) => `svc ${command} --help shows how to call it`

describe("an unknown command or an invalid call", () => {
  test.each([
    ["doctr", 'there is no command "doctr" (did you mean "doctor"?)', list],
    ["runtime strat", 'there is no command "runtime strat" (did you mean "runtime start"?)', list],
    ["xyzzy", 'there is no command "xyzzy"', list],
    ["doctor --jsno", 'there is no option --jsno (did you mean "--json"?)', call("doctor")],
    ["send sandbox", "not enough positional arguments", call("send")],
    ["inbox show 1 2", 'extraneous positional argument ("2")', call("inbox show")],
    ["release complete", "--accepted-by <value> is missing", call("release complete")],
    ["release complete --window 72h", "--accepted-by <value> is missing", call("release complete")],
    ["inbox show 1 -2", 'extraneous positional argument ("-2")', call("inbox show")],
    [
      "inbox list --text -hi",
      "not enough arguments to option --text",
      "for a value that starts with a minus: svc inbox list … --text=-hi",
    ],
    ["user may a b --channel --json", "not enough arguments to option --channel", call("user may")],
    ["checkpoint prune", "--keep <value> is missing", call("checkpoint prune")],
    ["checkpoint export 1", "--output <value> is missing", call("checkpoint export")],
    ["doctor --live", "not enough arguments to option --live", call("doctor")],
  ])("is explained on stderr with exit code 1: svc %s", async (line, message, hint) => {
    const {code, stdout, stderr} = await runCommand(makeProject(), line)
    expect({code, stdout, stderr}).toEqual({code: 1, stdout: "", stderr: `svc: ${message}\n  hint: ${hint}\n`})
  })
})
