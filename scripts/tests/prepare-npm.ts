import {mcpTools} from "../../tests/support/http/mcp-suite.ts"
import {installedFrameworks} from "../../tests/support/platforms/frameworks.ts"
import {koishi} from "../../tests/support/platforms/koishi.ts"
import {dendrite} from "../../tests/support/platforms/matrix/dendrite.ts"
import {reference} from "../../tests/support/platforms/satori/reference.ts"

/** Installs the npm packages that some tests need, in advance. A test installs missing packages itself. */
for (const packages of [koishi, installedFrameworks, dendrite, reference, mcpTools]) {
  try {
    packages.install()
  } catch (error) {
    process.stderr.write(`not prepared, the test will retry: ${error instanceof Error ? error.message : error}\n`)
  }
}
