import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { Router } from "wouter";
import { App } from "./app";
import { base } from "./base";
import { loadTheme, showTheme } from "./data/settings";
import { Boundary } from "./ui/boundary";
import { words } from "./words";
import { language } from "./words/language";
import "./theme.css";

showTheme(loadTheme());
document.documentElement.lang = language;
if (import.meta.env.PROD && "serviceWorker" in navigator) {
  window.addEventListener("load", () => void navigator.serviceWorker.register(`${base}/sw.js`));
}
const root = document.getElementById("root");
if (root) {
  createRoot(root).render(
    <StrictMode>
      <Boundary what={words.shell.parts.page}>
        <Router base={base}>
          <App />
        </Router>
      </Boundary>
    </StrictMode>,
  );
}
