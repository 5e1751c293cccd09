import {mount} from "svelte"
import App from "./App.svelte"
import {chosenLanguage, speak} from "./texts/language.ts"
import "./style.css"

const show = () => mount(App, {target: document.body})

// If the texts of a language cannot be loaded, the page appears in English.
const language = chosenLanguage()
if (language === "en") show()
else speak(language).then(show, show)

/** Waits until after the first page, so that caching the files for offline use does not delay it. In milliseconds. */
const rest = 1500

// Browsers offer service workers only to secure addresses, and refuse them with untrusted certificates: the console
// works without.
if ("serviceWorker" in navigator)
  setTimeout(() => void navigator.serviceWorker.register("./service-worker.js").catch(() => {}), rest)
