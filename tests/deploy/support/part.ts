import {spawnSync} from "node:child_process"
import {describe, expect, test} from "vitest"
import {isToolRequired, locate} from "../../support/machine/tools.ts"

/**
 * The tests of deployment run each template on the real thing: `bun run test:deploy`, or one part with
 * `bun run test:deploy tests/deploy/systemd.test.ts`. They need root, and programs that `.ci/run` installs; files run
 * side by side, so a part names what it starts (namespaces, containers, folders) by itself and takes free ports.
 *
 * A part that this machine cannot do is reported as not run, by its name and with the reason. A missing program is a
 * failure instead where `SVC_TEST_REQUIRE_TOOLS` is 1; a missing ability of the machine never is.
 */
export interface Need {
  readonly kind: "program" | "machine"
  /** Why it is not there; undefined where it is. */
  missing(): string | undefined
}

/** An installed program; `debian` is the package that has it. */
export const program = (name: string, debian = name): Need => ({
  kind: "program",
  missing: () => (locate(name) === undefined ? `${name} is not installed (apt-get install ${debian})` : undefined),
})

/** Something that holds or does not hold on this machine. */
export const machine = (holds: () => boolean, reason: string): Need => ({
  kind: "machine",
  missing: () => (holds() ? undefined : reason),
})

const succeeds = (command: string, ...args: readonly string[]) =>
  spawnSync(command, args, {stdio: "ignore", timeout: 10_000}).status === 0

export const linux = machine(() => process.platform === "linux", "it needs Linux")

export const root = machine(() => process.getuid?.() === 0, "it needs root")

export const networkNamespaces = machine(() => succeeds("unshare", "--net", "true"), "it needs network namespaces")

export const mountNamespaces = machine(
  () => succeeds("unshare", "--mount", "mount", "--bind", "/tmp", "/mnt"),
  "it needs mount namespaces",
)

export const controlGroups = machine(
  () => succeeds("sh", "-c", "test -w /sys/fs/cgroup && grep -q . /proc/self/cgroup"),
  "it needs control groups that may be changed",
)

/** `describe` of one part; where a need is missing, one test in its place says why it was not run. */
export const describePart = (name: string, needs: readonly Need[], body: () => void): void => {
  const missing = needs.flatMap(({kind, missing: why}) => {
    const reason = why()
    return reason === undefined ? [] : [{kind, reason}]
  })
  if (missing.length === 0) {
    describe(name, body)
    return
  }
  const reasons = missing.map(({reason}) => reason).join("; ")
  const isFailure = isToolRequired && missing.every(({kind}) => kind === "program")
  describe(name, () => {
    test("could be run here", ({skip}) => {
      if (isFailure) expect.fail(`SVC_TEST_REQUIRE_TOOLS is 1 and ${reasons}`)
      skip(reasons)
    })
  })
}
