import {makeDebian} from "../../tests/deploy/support/containers/base-images.ts"
import {composePlugin} from "../../tests/deploy/support/containers/compose-plugin.ts"
import {debianRoot} from "../../tests/deploy/support/containers/debian-root.ts"
import {boxPackages} from "../../tests/deploy/support/systemd-box.ts"

/**
 * Makes what the tests of deployment keep under `node_modules/.cache`, ahead of them: a test makes what it misses by itself,
 * and needs a minute more for it.
 */
await composePlugin()
await makeDebian()
debianRoot(boxPackages)
