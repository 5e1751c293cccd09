import {build} from "esbuild"
import {root, type TestRuntime} from "../../support/host/runtimes.ts"

/** The command for a script that imports the program: Bun runs its source; for Node it is bundled into `dist/`. */
export const scriptCommand = async (
  {name, command: [binary = ""]}: TestRuntime,
  script: string,
): Promise<readonly string[]> => {
  if (name === "bun") return [binary, `${root}${script}`]
  const outfile = `${root}dist/bench/${script.replace(/^.*\/|\.ts$/g, "")}.mjs`
  await build({
    entryPoints: [`${root}${script}`],
    outfile,
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node22",
    packages: "external",
    logLevel: "warning",
  })
  return [binary, outfile]
}
