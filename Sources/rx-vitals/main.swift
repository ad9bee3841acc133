print("rx-vitals")
