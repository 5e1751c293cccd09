import {installedFrameworks} from "../../tests/support/platforms/frameworks.ts"
import {koishi} from "../../tests/support/platforms/koishi.ts"
import {dendrite} from "../../tests/support/platforms/matrix/dendrite.ts"
import {reference} from "../../tests/support/platforms/satori/reference.ts"

/** Installs the packages of npm that single tests need, ahead of them: a test installs what it misses by itself. */
for (const packages of [koishi, installedFrameworks, dendrite, reference]) {
  try {
    packages.install()
  } catch (error) {
    process.stderr.write(`not prepared, a test tries again: ${error instanceof Error ? error.message : error}\n`)
  }
}
