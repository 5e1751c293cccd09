import {spawnSync} from "node:child_process"
import {mkdtempSync, rmSync} from "node:fs"
import {tmpdir} from "node:os"
import {join} from "node:path"
import {stripVTControlCharacters} from "node:util"
import {root} from "../root.ts"
import {sitePages} from "./pages.ts"
import {stage} from "./stage.ts"

/** Neither svc nor its tests import it, so it is no dependency: bunx fetches it when somebody builds the site. */
export const vitepress = "vitepress@1.6.4"

/** VitePress did not start, so the pages were not looked at. */
export class NotFetched extends Error {}

interface Build {
  readonly base: string
  readonly output: string
  /** The program that runs bunx (default: this one). */
  readonly bun?: string
  readonly say: (line: string) => void
}

/** Builds the site; returns the number of its pages. Throws with the reason and the next step. */
export const buildSite = ({base, output, bun = process.execPath, say}: Build): number => {
  const pages = sitePages(root)
  const folder = mkdtempSync(join(tmpdir(), "svc-site-"))
  try {
    say(`${pages.length} pages from docs/README.md`)
    stage({root, pages, base, output}, folder)
    say(`building them with ${vitepress}`)
    const {status, error, stdout, stderr} = spawnSync(bun, ["x", vitepress, "build", folder], {
      cwd: folder,
      encoding: "utf8",
      env: {...process.env, NODE_ENV: "production", CI: "true"},
      timeout: 300_000,
    })
    if (status === 0) return pages.length
    const printed = stripVTControlCharacters(`${stdout}${stderr}`).trim() || String(error)
    if (printed.includes("vitepress v")) throw new Error(`VitePress refused the pages:\n${printed}`)
    throw new NotFetched(
      `bunx did not start ${vitepress}. It needs Node, and the npm registry unless bun's cache has it:\n${printed}`,
    )
  } finally {
    rmSync(folder, {recursive: true, force: true})
  }
}
