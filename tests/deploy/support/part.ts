import {spawnSync} from "node:child_process"
import {describe, expect, test} from "vitest"
import {isToolRequired, locate} from "../../support/machine/tools.ts"

/**
 * The deployment tests run each template on the real thing: `bun run test:deploy`, or one part with `bun run
 * test:deploy tests/deploy/systemd.test.ts`. They need root, and programs that `.ci/run` installs. Files run in
 * parallel, so a part gives its namespaces, containers and folders unique names and takes free ports.
 *
 * A part that this machine cannot run is reported as not run, with its name and the reason. If `SVC_TEST_REQUIRE_TOOLS`
 * is 1, a missing program is a failure instead; a missing ability of the machine never is.
 */
export interface Need {
  readonly kind: "program" | "machine"
  /** Returns why it is missing; undefined if it is available. */
  missing(): string | undefined
}

/** An installed program; `debian` is the package that contains it. */
export const program = (name: string, debian = name): Need => ({
  kind: "program",
  missing: () => (locate(name) === undefined ? `${name} is not installed (apt-get install ${debian})` : undefined),
})

export const machine = (holds: () => boolean, reason: string): Need => ({
  kind: "machine",
  missing: () => (holds() ? undefined : reason),
})

const succeeds = (command: string, ...args: readonly string[]) =>
  spawnSync(command, args, {stdio: "ignore", timeout: 10_000}).status === 0

export const linux = machine(() => process.platform === "linux", "it needs Linux")

export const root = machine(() => process.getuid?.() === 0, "it needs root")

export const networkNamespaces = machine(() => succeeds("unshare", "--net", "true"), "it needs network namespaces")

const mountNamespaces = machine(
  () => succeeds("unshare", "--mount", "mount", "--bind", "/tmp", "/mnt"),
  "it needs mount namespaces",
)

export const controlGroups = machine(
  () => succeeds("sh", "-c", "test -w /sys/fs/cgroup && grep -q . /proc/self/cgroup"),
  "it needs control groups that may be changed",
)

/** The `describe` of one part. If a need is missing, a single test says why the part was not run. */
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

export const systemdNeeds: readonly Need[] = [
  ...[linux, root, networkNamespaces, mountNamespaces, controlGroups],
  program("systemd-nspawn", "systemd-container"),
  program("mmdebstrap"),
]
