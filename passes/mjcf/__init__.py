"""The asset as text and meshes: mass, slots, MJCF, and what MuJoCo makes of them."""
