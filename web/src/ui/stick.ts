import { useCallback, useEffect, useLayoutEffect, useRef, useState } from "react";

const nearEnd = 48;

/**
 * Keeps a scrolled area at its end while it grows, until the reader scrolls up;
 * then it stays where the reader is. Nothing moves under a pointer that is pressed:
 * a click would be lost, and what is being selected would slip away. Give `scroller` to what scrolls and
 * `content` to what grows in it.
 */
export function useStickToEnd(stickAtFirst = true) {
  const scroller = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const stuck = useRef(stickAtFirst);
  const pressed = useRef(false);
  const lastTop = useRef(0);
  const [away, setAway] = useState(false);

  const follow = useCallback(() => {
    const el = scroller.current;
    if (!el || pressed.current) {
      return;
    }
    if (el.scrollHeight - el.clientHeight - el.scrollTop < nearEnd) {
      stuck.current = true; // what was below is gone
      setAway(false);
    }
    if (stuck.current) {
      el.scrollTop = el.scrollHeight;
    }
  }, []);

  useLayoutEffect(() => {
    const observer = new ResizeObserver(follow);
    for (const el of [content.current, scroller.current]) {
      if (el) {
        observer.observe(el);
      }
    }
    return () => observer.disconnect();
  }, [follow]);

  useEffect(() => {
    const area = scroller.current;
    const press = () => {
      pressed.current = true;
    };
    const release = () => {
      if (pressed.current) {
        pressed.current = false;
        requestAnimationFrame(follow); // after the click that comes of it
      }
    };
    area?.addEventListener("pointerdown", press);
    addEventListener("pointerup", release);
    addEventListener("pointercancel", release);
    return () => {
      area?.removeEventListener("pointerdown", press);
      removeEventListener("pointerup", release);
      removeEventListener("pointercancel", release);
    };
  }, [follow]);

  const onScroll = useCallback(() => {
    const el = scroller.current;
    if (!el) {
      return;
    }
    const end = el.scrollHeight - el.clientHeight - el.scrollTop < nearEnd;
    if (end) {
      stuck.current = true;
    } else if (el.scrollTop < lastTop.current) {
      stuck.current = false;
    }
    lastTop.current = el.scrollTop;
    setAway(!end && !stuck.current);
  }, []);

  const toEnd = useCallback(() => {
    stuck.current = true;
    follow();
  }, [follow]);

  const letGo = useCallback(() => {
    stuck.current = false;
  }, []);

  return { scroller, content, onScroll, away, toEnd, letGo };
}
