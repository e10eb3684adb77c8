import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { App } from "./app";
import { loadTheme, showTheme } from "./data/settings";
import { Boundary } from "./ui/boundary";
import "./theme.css";

showTheme(loadTheme());
if (import.meta.env.PROD && "serviceWorker" in navigator) {
  window.addEventListener("load", () => void navigator.serviceWorker.register("/sw.js"));
}
const root = document.getElementById("root");
if (root) {
  createRoot(root).render(
    <StrictMode>
      <Boundary what="The page">
        <App />
      </Boundary>
    </StrictMode>,
  );
}
