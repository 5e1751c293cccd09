import {expect, test} from "vitest"
import {makeFolder, nodeOf, onBun, root, runProcess} from "../../support/host/host.ts"
import {describeWith, tool} from "../../support/machine/tools.ts"

const complete = (shell: string, runtime = onBun) =>
  runProcess([...runtime.command, "--completion", shell], {cwd: root})

/** What each shell's own functions are, where no terminal calls them, and how a typed line is completed. */
const shells = {
  bash: 'COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _svc; printf "%s\\n" "${COMPREPLY[@]}"',
  zsh: 'words=("$@"); CURRENT=$#; _svc',
  fish: "complete -C (string join ' ' -- $argv)",
} as const
const before = {bash: "", zsh: "compdef() {}; _describe() { print -l -- ${${(P)2}%%:*} }; ", fish: ""} as const

const run = async (shell: keyof typeof shells, ...typed: readonly string[]) => {
  const script = `${before[shell]}${(await complete(shell)).stdout}\n${shells[shell]}`
  const program = shell === "bash" ? "bash" : tool(shell).path
  const {stdout, stderr} = await runProcess([program, "-c", script, ...(shell === "fish" ? [] : ["-"]), ...typed], {
    cwd: makeFolder(),
  })
  expect(stderr).toBe("")
  const starts = typed.at(-1) ?? ""
  return stdout
    .split("\n")
    .map(line => line.split("\t")[0] ?? "")
    .filter(word => word !== "" && word.startsWith(starts))
}

describeWith("zsh", "fish")("completion", () => {
  test.each(["bash", "zsh", "fish"] as const)("%s completes groups, commands and options", async shell => {
    expect(await run(shell, "svc", "ad")).toEqual(["adapter"])
    expect(await run(shell, "svc", "inbox", "re")).toEqual(["redact", "release", "retry"])
    expect(await run(shell, "svc", "runtime", "start", "--mo")).toEqual(["--mode"])
    expect(await run(shell, "svc", "chat", "--ch")).toEqual(["--channel"])
    expect(await run(shell, "svc", "inbox", "list", "--jso")).toEqual(["--json"])
  })
})

test("svc --completion prints the same on Bun and Node, and refuses what is no shell", async () => {
  expect(await complete("bash", nodeOf("node24"))).toEqual(await complete("bash"))
  for (const shell of ["", "tcsh", "../svc.bash"]) expect(await complete(shell)).toMatchObject({code: 1, stdout: ""})
})
