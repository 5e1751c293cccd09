import {bin, bun, node, runSteps} from "./steps.ts"

/** What must hold of the sources before anything runs, in the order of cost, and the build, which the tests run. */

/** TypeScript 7 checks the components by an API that has no other name yet; what is not used is refused too. */
const svelteCheck = [node, bin("svelte-check"), "--tsgo-experimental-api", "--fail-on-warnings", "--output", "human"]

runSteps([
  ["format and lint", [bun, bin("biome"), "check", "--error-on-warnings", "."]],
  ["types", [bun, bin("tsc"), "-p", "."]],
  ["types of the console", [...svelteCheck, "--workspace", "server/console/web", "--tsconfig", "tsconfig.json"]],
  ["lockfile", [bun, "scripts/lockfile.ts", "--check"]],
  ["build", [bun, "scripts/build.ts", "--if-changed"]],
  ["reference", [bun, "scripts/reference.ts", "--check"]],
])
