import {makeDebian} from "../../tests/deploy/support/containers/base-images.ts"
import {composePlugin} from "../../tests/deploy/support/containers/compose-plugin.ts"
import {debianRoot} from "../../tests/deploy/support/containers/debian-root.ts"
import {boxPackages} from "../../tests/deploy/support/systemd-box.ts"

/**
 * Prepares the files that the deployment tests keep under `node_modules/.cache`. A test prepares missing files itself, but
 * that takes a minute longer.
 */
await composePlugin()
await makeDebian()
debianRoot(boxPackages)
