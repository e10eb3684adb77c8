import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { App } from "./app";
import { loadTheme, showTheme } from "./data/settings";
import { Boundary } from "./ui/boundary";
import { words } from "./words";
import { language } from "./words/language";
import "./theme.css";

showTheme(loadTheme());
document.documentElement.lang = language;
if (import.meta.env.PROD && "serviceWorker" in navigator) {
  window.addEventListener("load", () => void navigator.serviceWorker.register("/sw.js"));
}
const root = document.getElementById("root");
if (root) {
  createRoot(root).render(
    <StrictMode>
      <Boundary what={words.shell.parts.page}>
        <App />
      </Boundary>
    </StrictMode>,
  );
}
