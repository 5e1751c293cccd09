import {mount} from "svelte"
import App from "./App.svelte"
import "./style.css"

mount(App, {target: document.body})

/** After the first page: the files that are kept for a time without the Host must not delay it. In milliseconds. */
const rest = 1500

// Browsers offer it to secure addresses alone, and refuse it where a certificate is not trusted: the console does without.
if ("serviceWorker" in navigator)
  setTimeout(() => void navigator.serviceWorker.register("./service-worker.js").catch(() => {}), rest)
